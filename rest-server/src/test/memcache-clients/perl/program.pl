#!/usr/bin/perl
# Produces and consumes with Cache::Memcached. See README.md.
use strict;
use warnings;
use Cache::Memcached;
use Digest::SHA qw(sha256_hex);

my (undef, $mode, $port, $queue, @more) = @ARGV;
my $client;

sub connected {
  $client = Cache::Memcached->new({servers => ["127.0.0.1:$port"], select_timeout => 30});
}
connected();

sub pause { select(undef, undef, undef, 0.1) }

sub alive { return scalar %{$client->stats(['misc'])->{hosts} || {}} }

sub message {
  my ($number, $body) = @_;
  return "$number:" . sha256_hex("$number:$body") . ":$body";
}

if ($mode eq 'produce') {
  my ($first, $count) = @more;
  for my $number ($first .. $first + $count - 1) {
    my $noise = join('', map { chr(int(rand(256))) } 1 .. $number % 300);
    my $data = message($number, "$noise\r\nEND\r\n");
    until ($client->set($queue, $data)) {
      pause();
      connected();
    }
  }
} else {
  my ($path, $stop) = @more;
  open(my $out, '>>', $path) or die "$path: $!";
  $out->autoflush(1);
  my $empty = 0;
  while ($empty < 3) {
    my $data = $client->get("$queue/close/open/t=200");
    if (!defined $data) {
      if (-e $stop && alive()) {
        $empty++;
      } else {
        $empty = 0;
        if (!alive()) {
          pause();
          connected();
        }
      }
      next;
    }
    $empty = 0;
    my ($number, $body) = $data =~ /^(\d+):[0-9a-f]*:(.*)\z/s or die "no number";
    die "message $number is not what was stored" unless $data eq message($number, $body);
    print $out "$number\n";
  }
  $client->get("$queue/close");
}
