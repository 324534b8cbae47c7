// Reads one query per line, in hex, and writes its pairs, in hex, as Tomcat hands them to a servlet; "!" if it throws.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HexFormat;
import org.apache.tomcat.util.buf.MessageBytes;
import org.apache.tomcat.util.http.Parameters;

public class Tomcat {
    static final HexFormat HEX = HexFormat.of();

    static String hex(String text) {
        return HEX.formatHex(text.getBytes(StandardCharsets.UTF_8));
    }

    static Parameters read(byte[] octets) {
        MessageBytes query = MessageBytes.newInstance();
        query.setBytes(octets, 0, octets.length);
        Parameters parameters = new Parameters();
        parameters.setQueryStringCharset(StandardCharsets.UTF_8);
        parameters.setQuery(query);
        parameters.setLimit(-1);
        parameters.handleQueryParameters();
        return parameters;
    }

    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        PrintStream out = new PrintStream(System.out, false);
        for (String line; (line = lines.readLine()) != null; ) {
            try {
                Parameters parameters = read(HEX.parseHex(line));
                for (String name : Collections.list(parameters.getParameterNames())) {
                    for (String value : parameters.getParameterValues(name)) {
                        out.print(hex(name) + ":" + hex(value) + " ");
                    }
                }
                out.println();
            } catch (RuntimeException malformed) {
                out.println("!");
            }
        }
        out.flush();
    }
}
