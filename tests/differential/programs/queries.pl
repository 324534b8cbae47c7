# Reads one query per line, in hex, and writes its pairs, in hex, as CGI.pm reads them.

use strict;
use warnings;
use CGI;
use Encode qw(encode_utf8);

$ENV{REQUEST_METHOD} = 'GET';
while (my $line = <STDIN>) {
    chomp $line;
    $ENV{QUERY_STRING} = pack 'H*', $line;
    CGI::initialize_globals();
    $CGI::PARAM_UTF8 = 1;
    my $request = CGI->new;
    for my $name ($request->multi_param) {
        for my $value ($request->multi_param($name)) {
            # CGI.pm decodes values, and returns names as octets.
            print unpack('H*', $name), ':', unpack('H*', encode_utf8($value)), ' ';
        }
    }
    print "\n";
}
