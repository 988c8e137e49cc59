package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The script {@code ./river}, in a tree whose jar of the server has nothing but a class path. */
@Timeout(240)
class LauncherTest {
  private static final String FROM_ARCHIVE = "RiverServer source: shared objects file (top)";

  @TempDir Path root;
  private Path target;
  private Path jar;

  @BeforeEach
  void build() throws IOException {
    Files.copy(Path.of("..", "river"), root.resolve("river"), StandardCopyOption.COPY_ATTRIBUTES);
    Files.createFile(root.resolve("pom.xml"));
    for (String module :
        List.of(
            "common",
            "ack",
            "core",
            "forward",
            "filter",
            "jdbc",
            "reactor",
            "rest-server",
            "rest-client",
            "relay")) {
      Files.createDirectories(root.resolve(module).resolve("src/main"));
      Files.createFile(root.resolve(module).resolve("pom.xml"));
    }
    target = Files.createDirectories(root.resolve("rest-server/target"));
    jar = target.resolve("river-rest-server-1.0-SNAPSHOT.jar");
  }

  /** An archive of the jar and of this JVM, as the script names it. */
  private Path archive(long length) {
    return target.resolve(
        "river-rest-server-1.0-SNAPSHOT-%s.%d.jsa"
            .formatted(System.getProperty("java.runtime.version"), length));
  }

  private static Stream<Path> classPath() {
    return Arrays.stream(
            System.getProperty("java.class.path").split(System.getProperty("path.separator")))
        .map(Path::of);
  }

  private static void jar(Path file, Stream<String> classPath) throws IOException {
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.put(Attributes.Name.MAIN_CLASS, Main.class.getName());
    main.putValue("Add-Opens", "java.base/java.lang.reflect java.base/sun.nio.ch");
    main.putValue("Add-Exports", "java.base/sun.nio.ch java.base/jdk.internal.ref");
    main.put(Attributes.Name.CLASS_PATH, classPath.collect(Collectors.joining(" ")));
    try (OutputStream out = Files.newOutputStream(file);
        JarOutputStream jar = new JarOutputStream(out, manifest)) {
      jar.finish();
    }
  }

  /**
   * Puts a part of the class path beside the server's jar, as the build does, and returns its name
   * there. A directory is packed, because an archive can be made of jars only.
   */
  private String inLib(Path part) {
    try {
      Path lib = Files.createDirectories(target.resolve("lib"));
      Path file = Files.createTempFile(lib, "", ".jar");
      if (!Files.isDirectory(part)) {
        Files.copy(part, file, StandardCopyOption.REPLACE_EXISTING);
        return "lib/" + file.getFileName();
      }
      try (Stream<Path> tree = Files.walk(part);
          OutputStream out = Files.newOutputStream(file);
          JarOutputStream packed = new JarOutputStream(out)) {
        for (Path each : tree.filter(Files::isRegularFile).toList()) {
          packed.putNextEntry(new ZipEntry(part.relativize(each).toString()));
          Files.copy(each, packed);
        }
      }
      return "lib/" + file.getFileName();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
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

  @Test
  void shouldRefuseALogLevelThatThereIsNot() throws Exception {
    Files.writeString(jar, "no jar");
    for (String level : List.of("BOGUS", "INFO,DEBUG", " ", "WARN -x")) {
      ProcessBuilder builder = command("./river", "server", "--port", "0");
      builder.environment().put("RIVER_LOG_LEVEL", level);
      assertThat(builder.start().waitFor()).isEqualTo(2);
      assertThat(root.resolve("err"))
          .content()
          .isEqualTo(
              "river: RIVER_LOG_LEVEL is '%s'; it may be OFF, ERROR, WARN, INFO, DEBUG, TRACE or ALL\n"
                  .formatted(level));
    }
    for (String level : List.of("", "info", "OFF")) {
      ProcessBuilder builder = command("./river", "keys", "list");
      builder.environment().put("RIVER_LOG_LEVEL", level);
      assertThat(builder.start().waitFor()).isEqualTo(1); // the JVM, of what is no jar
    }
  }

  @Test
  void shouldHelpWithoutABuild() throws Exception {
    for (String line :
        List.of(
            "",
            "--help",
            "build --help",
            "sample --help",
            "sample pull --help",
            "sample spring --help",
            "sample kafka -h")) {
      Process help = command(("./river " + line).trim().split(" ")).start();
      String out = new String(help.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(help.waitFor()).as(line).isZero();
      String command = line.replaceAll(" ?-.*", "");
      assertThat(out).as(line).contains("  " + command);
    }
  }

  /** A server that has no memory ends, and a service manager starts it again. */
  @Test
  void shouldHaveTheServerEndWhenItHasNoMemory() throws Exception {
    jar(jar, classPath().map(path -> path.toUri().toString()));
    Files.createFile(archive(0)); // of directories none can be made
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
          .contains("-XX:Tier4InvocationThreshold=50000")
          .contains("-XX:MaxHeapSize=" + (124L << 20)); // what the user says holds too
      server.destroy();
      assertThat(server.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(server.exitValue()).isEqualTo(143);
    } finally {
      server.destroyForcibly();
    }
  }

  @Test
  void shouldMakeAnArchiveOfClassesAndLoadFromItOnlyIfItIsWhole() throws Exception {
    List<String> unused = lib();
    Path archive = makeArchive();
    byte[] content = Files.readAllBytes(archive);
    assertThat(archive).isEqualTo(archive(content.length));
    assertThat(loaded()).endsWith(FROM_ARCHIVE);
    Files.createFile(archive(0)); // against making another one
    replace(archive, Arrays.copyOf(content, content.length / 2)); // the JVM would abort
    assertThat(loaded()).contains(jar.getParent().toString());
  }

  @Tag("full")
  @Test
  void shouldLoadFromAnArchiveOnlyIfItIsSoundAndOfThisJar() throws Exception {
    List<String> lib = lib();
    Path archive = makeArchive();
    byte[] content = Files.readAllBytes(archive);
    FileTime time = Files.getLastModifiedTime(jar);
    byte[] packed = Files.readAllBytes(jar);
    jar(jar, Stream.concat(lib.stream(), Stream.of("lib/another.jar")));
    Files.setLastModifiedTime(jar, time);
    assertThat(loaded()).contains(jar.getParent().toString());
    Files.write(jar, packed);
    Files.setLastModifiedTime(jar, time);
    assertThat(loaded()).endsWith(FROM_ARCHIVE);

    Files.createFile(archive(0)); // against making another one
    Arrays.fill(content, content.length / 4, content.length, (byte) 0); // as by a loss of power
    replace(archive, content);
    assertThat(loaded()).contains(jar.getParent().toString());
  }

  /** Makes the server's jar, and what it names, of this class path; returns the names. */
  private List<String> lib() throws IOException {
    List<String> lib = classPath().filter(Files::exists).map(this::inLib).toList();
    jar(jar, lib.stream());
    return lib;
  }

  /** Starts the server, which has none yet, and returns the archive that the script makes then. */
  private Path makeArchive() throws Exception {
    try (WatchService watch = target.getFileSystem().newWatchService()) {
      target.register(watch, StandardWatchEventKinds.ENTRY_CREATE);
      assertThat(loaded()).contains(jar.getParent().toString());
      return made(watch);
    }
  }

  /** Waits for the archive, and returns it. */
  private Path made(WatchService watch) throws InterruptedException {
    while (true) {
      WatchKey key = watch.poll(100, TimeUnit.SECONDS);
      assertThat(key).as("the script makes an archive").isNotNull();
      for (WatchEvent<?> event : key.pollEvents()) {
        if (event.context() instanceof Path name && name.toString().endsWith(".jsa")) {
          return target.resolve(name);
        }
      }
      key.reset();
    }
  }

  private static void replace(Path file, byte[] content) throws IOException {
    Files.delete(file); // it is read-only
    Files.write(file, content);
  }

  /**
   * Starts the server, which must print no warning, and returns what says where classes are from.
   */
  private String loaded() throws Exception {
    ProcessBuilder builder = command("./river", "server", "--port", "0");
    Path log = root.resolve("classes.log");
    builder.environment().put("RIVER_JAVA_OPTS", "-Xlog:class+load:file=" + log);
    Process server = builder.start();
    try {
      BufferedReader out =
          new BufferedReader(
              new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8));
      assertThat(out.readLine()).startsWith("River listens");
    } finally {
      server.destroy();
      server.waitFor();
    }
    assertThat(root.resolve("err")).content().isEmpty();
    try (Stream<String> lines = Files.lines(log)) {
      return lines.filter(line -> line.contains(".RiverServer source")).findFirst().orElseThrow();
    }
  }
}
