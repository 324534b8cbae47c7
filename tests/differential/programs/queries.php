<?php
// Reads a query a line, in hex; writes its names and values, in hex, as they come into $_GET.

while (($line = fgets(STDIN)) !== false) {
    parse_str(hex2bin(trim($line)), $values);
    foreach ($values as $name => $value) {
        echo bin2hex((string) $name), ':', is_array($value) ? '' : bin2hex($value), ' ';
    }
    echo "\n";
}
