package com.wookler.river.tools.inspect;

import com.wookler.river.tools.inspect.Finding.Severity;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Passes findings on and counts them. */
final class Reporter {
  private static final int PER_BLOCK = 1_000; // more findings of a block are only counted

  private final Consumer<Finding> findings;
  private long damages;
  private int block;
  private int ofBlock;
  private int left;

  Reporter(Consumer<Finding> findings) {
    this.findings = findings;
  }

  long damages() {
    return damages;
  }

  void damage(Path file, String what) {
    give(Finding.damage(file, what));
  }

  void note(Path file, String what) {
    give(Finding.note(file, what));
  }

  void note(Path file, int number, String what) {
    give(new Finding(Severity.NOTE, file, number, Finding.UNKNOWN, Finding.UNKNOWN, what));
  }

  void damage(Path file, int number, long sequence, long offset, String what) {
    if (number != block) {
      block = number;
      ofBlock = 0;
      left = 0;
    }
    if (ofBlock++ < PER_BLOCK) {
      give(new Finding(Severity.DAMAGE, file, number, sequence, offset, what));
    } else {
      damages++;
      left++;
    }
  }

  void ended(Path file, int number) {
    if (left > 0) {
      note(file, number, left + " more places are damaged");
      left = 0;
    }
  }

  private void give(Finding finding) {
    damages += finding.isDamage() ? 1 : 0;
    findings.accept(finding);
  }
}
