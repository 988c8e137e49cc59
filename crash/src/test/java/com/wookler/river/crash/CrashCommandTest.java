package com.wookler.river.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./river crash}. */
@Tag("full")
class CrashCommandTest {
  @TempDir Path root;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), arguments);
  }

  @Test
  void shouldSayThatEveryPromiseHeldAndLeaveNothing() {
    int exit =
        run(root.toString(), "--rounds=2", "--durability=disk", "--seed=7", "--ledger=" + root);

    assertThat(exit).as(err.toString()).isZero();
    assertThat(out.toString()).contains("every promise held in 2 rounds").contains("seed 7");
    assertThat(root).isEmptyDirectory();
  }

  @Test
  void shouldRefuseWhatMakesNoSense() {
    assertThat(run(root.resolve("nowhere").toString())).isEqualTo(2);
    assertThat(run(root.toString(), "--rounds=0")).isEqualTo(2);
    assertThat(err.toString()).contains("there is no directory").contains("--rounds must be");
  }
}
