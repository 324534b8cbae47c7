# Reads one query per line, in hex, and writes its pairs, in hex, as Rack reads them; "!" if Rack raises an error.

require "rack/utils"

hex = ->(text) { text.b.unpack1("H*") }

$stdin.each_line(chomp: true) do |line|
  query = [line].pack("H*").force_encoding(Encoding::UTF_8)
  begin
    pairs = Rack::Utils.parse_query(query).flat_map do |name, values|
      (values.is_a?(Array) ? values : [values]).map { |value| "#{hex.(name)}:#{hex.(value.to_s)}" }
    end
    puts pairs.join(" ")
  rescue ArgumentError, TypeError
    puts "!"
  end
end
