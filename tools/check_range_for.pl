#!/usr/bin/env perl
# SPDX-License-Identifier: Apache-2.0
# A loop over a part of a temporary, `for (x : make().parts())`, reads what is gone: the temporary ends before the first
# round, and what parts() returns may refer to it. No compiler here warns, so a range that calls or indexes what a call has
# returned, or dereferences it, needs a name. Exempt are functions that are known to return a part of an object.
#
# check_range_for.pl               looks through the sources; prints the places, exits with 1 if there is one
# check_range_for.pl --marked FILE the same for one file, where exactly the lines that end in "// gone" must be found
use strict;
use warnings;
use File::Find;
use FindBin;

my $part = qr/at|front|back|blocks|events|tree|rows|content/;
my $value = qr/value_or/;    # what it returns is no part: it may stand last
my $parens = qr/(\((?:[^()]++|(?-1))*\))/;

my $is_marked = @ARGV && $ARGV[0] eq '--marked';
my @files = @ARGV[1 .. $#ARGV];
if (!$is_marked) {
  chdir "$FindBin::Bin/..";
  find(sub { push @files, $File::Find::name if /\.(cc|h|inc)$/ }, qw(equinoise cli tests bench fuzz));
}
my $failed = 0;
for my $file (sort @files) {
  open(my $stream, '<', $file) or die "$file: $!\n";
  my $text = do { local $/; <$stream> };
  my %is_wrong = map { $_ => 1 } wrong_lines($text);
  if ($is_marked) {
    my @lines = split /\n/, $text;
    for my $line (1 .. @lines) {
      next if ($lines[$line - 1] =~ m{// gone$} ? 1 : 0) == ($is_wrong{$line} // 0);
      print "$file:$line: ", $is_wrong{$line} ? "found without a mark\n" : "not found\n";
      $failed = 1;
    }
  } else {
    for my $line (sort { $a <=> $b } keys %is_wrong) {
      print "$file:$line: loops over a part of what a call returns; give that a name before the loop\n";
      $failed = 1;
    }
  }
}
exit $failed;

sub wrong_lines {
  my ($text) = @_;
  my @lines;
  $text =~ s{//[^\n]*}{}g;
  $text =~ s/'(?:\\.|[^'\\\n])'/0/g;
  $text =~ s/"(?:\\.|[^"\\\n])*"/""/g;
  while ($text =~ /\bfor\s*$parens/g) {
    my ($loop, $line) = (substr($1, 1, -1), 1 + (substr($text, 0, $-[0]) =~ tr/\n//));
    my $flat = $loop;
    1 while $flat =~ s/\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}/' ' x length($&)/e;
    next if ($flat =~ tr/;//) > 1 || $flat !~ /(?<!:):(?!:)/;
    push @lines, $line if looks_into_a_call(substr($loop, $+[0]));
  }
  return @lines;
}

# Goes along one link after the other: a name, a call, an index. Calls inside of parentheses do not count.
sub looks_into_a_call {
  my ($range) = @_;
  $range =~ s/\s+//g;
  my $is_dereferenced = $range =~ s/^\*//;
  my $is_temporary = 0;
  while ($range =~ /\G(?:(?:\.|->)?([\w:]+(?:<[^()]*>)?)?$parens|(\[[^\[\]]*\])|(?:\.|->)?[\w:]+)/gc) {
    my ($name, $call, $index) = ($1 // '', $2, $3);
    next if !defined $call && !defined $index;
    return 1 if $is_temporary && $name !~ /^(?:$value)$/;
    $is_temporary = 1 if defined $call && $name !~ /^(?:$part)$/;
  }
  return $is_dereferenced && $is_temporary;
}
