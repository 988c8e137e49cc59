package com.wookler.river.core.log.chronicle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.errors.RiverException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

@Timeout(120)
class JdkAccessTest {

  /** Started by the tests, in a JVM with flags of theirs. */
  static final class Child {
    private Child() {}

    public static void main(String[] args) {
      try {
        JdkAccess.ensure();
      } catch (RiverException e) {
        System.out.println(e.getMessage());
      }
    }
  }

  static boolean knowsTheFlag() {
    return Runtime.version().feature() >= 24;
  }

  private static String child(String... flags) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(flags));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Child.class.getName()));
    Process process = new ProcessBuilder(command).start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).isZero();
    return out.strip();
  }

  @Test
  @EnabledIf("knowsTheFlag")
  void shouldSayThatMemoryAccessIsDeniedAndWhichFlagHelps() throws Exception {
    String deny = "--sun-misc-unsafe-memory-access=deny";
    String[] opens = {
      "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
      "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
      "--add-opens=java.base/jdk.internal.ref=ALL-UNNAMED"
    };
    for (String said : List.of(child(deny), child(deny, opens[0], opens[1], opens[2]))) {
      assertThat(said)
          .startsWith("this JVM denies the methods of sun.misc.Unsafe for memory access")
          .contains("No --add-opens helps", "--sun-misc-unsafe-memory-access=allow");
    }
    assertThat(child("--sun-misc-unsafe-memory-access=allow")).isEmpty();
  }

  @Test
  void shouldSayThatTheJdkHasRemovedWhatItNeeds() {
    assertThatThrownBy(() -> JdkAccess.refuseDeniedMemory("allocateNoMore", "freeNoMore"))
        .isInstanceOf(RiverException.class)
        .hasMessageContaining("no methods of sun.misc.Unsafe")
        .hasMessageContaining("No flag helps; run it on Java 17 to 25");
  }

  @Test
  void shouldRefuseTheModulePath() {
    Module own = JdkAccess.class.getModule();

    JdkAccess.refuseModulePath(own);
    assertThatThrownBy(() -> JdkAccess.refuseModulePath(own, Object.class.getModule()))
        .isInstanceOf(RiverException.class)
        .hasMessageContaining("module java.base is on the module path")
        .hasMessageContaining("-cp");
  }
}
