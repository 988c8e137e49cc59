#!/usr/bin/perl
# Produces and consumes with Cache::Memcached. See README.md.
use strict;
use warnings;
use Cache::Memcached;

my (undef, $mode, $port, $queue, @more) = @ARGV;
my $client;

sub connected {
  $client = Cache::Memcached->new({servers => ["127.0.0.1:$port"], select_timeout => 30});
}
connected();

sub pause { select(undef, undef, undef, 0.1) }

sub alive { return scalar %{$client->stats(['misc'])->{hosts} || {}} }

if ($mode eq 'produce') {
  my ($first, $count) = @more;
  for my $number ($first .. $first + $count - 1) {
    my $data = "$number:" . join('', map { chr(int(rand(256))) } 1 .. $number % 300) . "\r\nEND\r\n";
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
    my ($number) = $data =~ /^(\d+):/ or die "no number";
    die "message $number is not what was stored"
      unless $data =~ /\r\nEND\r\n\z/ && length($data) == length("$number:") + $number % 300 + 7;
    print $out "$number\n";
  }
  $client->get("$queue/close");
}
