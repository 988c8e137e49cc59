package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The script {@code ./river}, in a tree whose jar of the server has nothing but a class path. */
@Timeout(120)
class LauncherTest {
  @TempDir Path root;

  @BeforeEach
  void build() throws IOException {
    Files.copy(Path.of("..", "river"), root.resolve("river"), StandardCopyOption.COPY_ATTRIBUTES);
    Files.createFile(root.resolve("pom.xml"));
    for (String module :
        List.of("common", "core", "reactor", "rest-server", "rest-client", "relay")) {
      Files.createDirectories(root.resolve(module).resolve("src/main"));
      Files.createFile(root.resolve(module).resolve("pom.xml"));
    }
    Path target = Files.createDirectories(root.resolve("rest-server/target"));
    jar(target.resolve("river-rest-server-1.0-SNAPSHOT.jar"));
  }

  private static void jar(Path file) throws IOException {
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.put(Attributes.Name.MAIN_CLASS, Main.class.getName());
    main.put(
        Attributes.Name.CLASS_PATH,
        Arrays.stream(
                System.getProperty("java.class.path").split(System.getProperty("path.separator")))
            .map(path -> Path.of(path).toUri().toString())
            .collect(Collectors.joining(" ")));
    try (OutputStream out = Files.newOutputStream(file);
        JarOutputStream jar = new JarOutputStream(out, manifest)) {
      jar.finish();
    }
  }

  private static String bin(String tool) {
    return Path.of(System.getProperty("java.home"), "bin", tool).toString();
  }

  private ProcessBuilder command(String... line) {
    ProcessBuilder builder = new ProcessBuilder(line).directory(root.toFile());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().remove("RIVER_JAVA_OPTS");
    return builder.redirectError(root.resolve("err").toFile());
  }

  private String flags(Process server) throws Exception {
    Process jcmd = command(bin("jcmd"), String.valueOf(server.pid()), "VM.flags").start();
    String out = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(jcmd.waitFor()).as(out).isZero();
    return out;
  }

  /** A server that has no memory ends, and a service manager starts it again. */
  @Test
  void shouldHaveTheServerEndWhenItHasNoMemory() throws Exception {
    ProcessBuilder builder = command("./river", "server", "--port", "0");
    builder.environment().put("RIVER_JAVA_OPTS", "-Xmx124m");
    Process server = builder.start();
    try {
      BufferedReader out =
          new BufferedReader(
              new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8));
      assertThat(out.readLine()).as(Files.readString(root.resolve("err"))).contains("listens");

      assertThat(flags(server))
          .contains("-XX:+ExitOnOutOfMemoryError")
          .contains("-XX:MaxHeapSize=" + (124L << 20)); // what the user says holds too
      server.destroy();
      assertThat(server.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(server.exitValue()).isEqualTo(143);
    } finally {
      server.destroyForcibly();
    }
  }
}
