// Reads one query per line, in hex, splits it, and writes its pairs, in hex, as java.net.URLDecoder decodes them;
// "!" if it throws.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

public class Queries {
    static final HexFormat HEX = HexFormat.of();

    static String hex(String text) {
        return HEX.formatHex(text.getBytes(StandardCharsets.UTF_8));
    }

    static String read(String query) {
        StringBuilder pairs = new StringBuilder();
        for (String pair : query.split("&")) {
            if (pair.isEmpty()) {
                continue;
            }
            String[] parts = pair.split("=", 2);
            for (int at = 0; at < 2; at++) {
                String text = at < parts.length ? URLDecoder.decode(parts[at], StandardCharsets.UTF_8) : "";
                pairs.append(hex(text)).append(at == 0 ? ":" : " ");
            }
        }
        return pairs.toString();
    }

    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        PrintStream out = new PrintStream(System.out, false);
        for (String line; (line = lines.readLine()) != null; ) {
            try {
                out.println(read(new String(HEX.parseHex(line), StandardCharsets.ISO_8859_1)));
            } catch (IllegalArgumentException malformed) {
                out.println("!");
            }
        }
        out.flush();
    }
}
