<?php
// Reads one query per line, in hex, and writes its names and values, in hex, as they are in $_GET.

while (($line = fgets(STDIN)) !== false) {
    parse_str(hex2bin(trim($line)), $values);
    foreach ($values as $name => $value) {
        echo bin2hex((string) $name), ':', is_array($value) ? '' : bin2hex($value), ' ';
    }
    echo "\n";
}
