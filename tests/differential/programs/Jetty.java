// Reads one query per line, in hex, and writes its pairs, in hex, as Jetty reads them; "!" if Jetty throws.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.util.MultiMap;
import org.eclipse.jetty.util.UrlEncoded;

public class Jetty {
    static final HexFormat HEX = HexFormat.of();

    static String hex(String text) {
        return HEX.formatHex(text.getBytes(StandardCharsets.UTF_8));
    }

    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        PrintStream out = new PrintStream(System.out, false);
        for (String line; (line = lines.readLine()) != null; ) {
            String query = new String(HEX.parseHex(line), StandardCharsets.UTF_8);
            MultiMap<String> read = new MultiMap<>();
            try {
                UrlEncoded.decodeUtf8To(query, read);
            } catch (RuntimeException malformed) {
                out.println("!");
                continue;
            }
            for (Map.Entry<String, List<String>> each : read.entrySet()) {
                for (String value : each.getValue()) {
                    out.print(hex(each.getKey()) + ":" + hex(value) + " ");
                }
            }
            out.println();
        }
        out.flush();
    }
}
