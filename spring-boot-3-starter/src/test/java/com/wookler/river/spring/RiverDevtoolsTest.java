package com.wookler.river.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An application that Spring Boot's devtools restart: its classes are compiled here, loaded by the
 * loader of the restart, and compiled again while it runs.
 */
class RiverDevtoolsTest {
  private static final int RESTARTS = 3;

  /** What a queue or a subscriber that is open has once. */
  private static final Pattern SINGLE = Pattern.compile("/(LOCK|marks|cursor|metadata.cq4t)$");

  /** Its classes; a number, further components of the record and what follows vary. */
  private static final String SOURCE =
      """
      package shop;

      import com.wookler.river.core.message.Message;
      import com.wookler.river.spring.RiverListener;
      import com.wookler.river.spring.RiverTemplate;
      import java.nio.file.*;
      import org.springframework.boot.CommandLineRunner;
      import org.springframework.boot.SpringApplication;
      import org.springframework.boot.SpringBootConfiguration;
      import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
      import org.springframework.context.annotation.Bean;

      @SpringBootConfiguration(proxyBeanMethods = false)
      @EnableAutoConfiguration
      public class Shop {
        public record Order(int number%2$s) {}

        public static void main(String[] args) {
          SpringApplication.run(Shop.class, args);
        }

        @RiverListener(queue = "orders", subscriber = "billing")
        void on(Order order) {
          write("orders of version %1$d: " + order);
        }

        @RiverListener(queue = "kept", subscriber = "billing", autoStartup = "%3$s")
        void kept(Order order) {
          write("kept by version %1$d: " + order);
        }

        @Bean
        CommandLineRunner publish(RiverTemplate template) {
          return args -> {
            template.publish("kept", new Order(%1$d%4$s));
            template.publish("orders", new Order(%1$d%4$s));
          };
        }

        private static synchronized void write(String line) {
          try {
            Files.writeString(
                Path.of(System.getProperty("test.seen")),
                line + " " + Shop.class.getClassLoader().getClass().getSimpleName() + "\\n",
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
          } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
          }
        }
      }
      """;

  @TempDir Path directory;

  private Path classes;

  /** Compiles a version, and has devtools see it. */
  private void compile(int version, boolean takesWhatIsKept) throws IOException {
    String components = version == 0 ? "" : ", String customer" + version;
    String arguments = version == 0 ? "" : ", \"ada\"";
    Path source = Files.createDirectories(directory.resolve("source/shop")).resolve("Shop.java");
    Files.writeString(source, SOURCE.formatted(version, components, takesWhatIsKept, arguments));
    Path compiled = Files.createDirectories(directory.resolve("compiled"));
    int result =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-parameters",
                "-proc:none",
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                compiled.toString(),
                source.toString());
    assertThat(result).isZero();
    Path to = Files.createDirectories(classes.resolve("shop"));
    try (Stream<Path> files = Files.list(compiled.resolve("shop"))) {
      for (Path file : files.toList()) {
        Files.write(to.resolve(file.getFileName()), Files.readAllBytes(file));
      }
    }
    Files.writeString(classes.resolve("restart.trigger"), "version " + version);
  }

  /** Starts it with River's modules as jars are: not among what the restart loads anew. */
  private Process start() throws IOException {
    Path settings = Files.createDirectories(directory.resolve("settings/META-INF"));
    Files.writeString(
        settings.resolve("spring-devtools.properties"), "restart.exclude.river=.*/target/.*\n");
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Dtest.seen=" + seenFile(),
            "-cp",
            Stream.of(
                    classes.toString(),
                    settings.getParent().toString(),
                    System.getProperty("java.class.path"))
                .collect(Collectors.joining(File.pathSeparator)),
            "shop.Shop",
            "--river.directory=" + directory.resolve("data"),
            "--spring.main.web-application-type=none",
            "--spring.main.banner-mode=off",
            "--spring.devtools.livereload.enabled=false",
            "--spring.devtools.restart.trigger-file=restart.trigger",
            "--spring.devtools.restart.poll-interval=200ms",
            "--spring.devtools.restart.quiet-period=100ms")
        .redirectErrorStream(true)
        .redirectOutput(directory.resolve("log").toFile())
        .start();
  }

  private Path seenFile() {
    return directory.resolve("seen");
  }

  private List<String> seen() throws IOException {
    return Files.exists(seenFile()) ? Files.readAllLines(seenFile()) : List.of();
  }

  private void awaitSeen(Process process, String line) {
    await()
        .until(
            () -> {
              assertThat(process.isAlive()).as("%s", log()).isTrue();
              return seen().contains(line + " RestartClassLoader");
            });
  }

  private String log() throws IOException {
    return Files.readString(directory.resolve("log"));
  }

  /**
   * Returns the files of the queues that the process has mapped or open, each as often as it is.
   */
  private List<String> files(Process process) throws IOException {
    Path of = Path.of("/proc", Long.toString(process.pid()));
    String data = directory.resolve("data").toString();
    try (Stream<Path> open = Files.list(of.resolve("fd"));
        Stream<String> mapped = Files.lines(of.resolve("maps"))) {
      return Stream.concat(open.map(RiverDevtoolsTest::target), mapped)
          .filter(text -> text.contains(data))
          .map(text -> text.substring(text.indexOf(data)))
          .sorted()
          .toList();
    }
  }

  private static String target(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (IOException e) {
      return ""; // closed meanwhile
    }
  }

  /** Returns how many threads of River's there are, by their names without a number. */
  private static Map<String, Long> threads(Process process) throws IOException {
    try (Stream<Path> all = Files.list(Path.of("/proc", Long.toString(process.pid()), "task"))) {
      return all.map(RiverDevtoolsTest::name)
          .filter(name -> name.startsWith("RIVER") || name.startsWith("REACTOR"))
          .collect(
              Collectors.groupingBy(
                  name -> name.replaceAll("-?[0-9]*$", ""), Collectors.counting()));
    }
  }

  private static String name(Path task) {
    try {
      return Files.readString(task.resolve("comm")).strip();
    } catch (IOException e) {
      return ""; // ended meanwhile
    }
  }

  @Test
  void shouldListenWithTheClassesOfEachRestartAndLeaveNothingOfTheOneBefore() throws Exception {
    assumeTrue(Files.exists(Path.of("/proc/self/task")), "needs /proc");
    classes = Files.createDirectories(directory.resolve("classes"));
    compile(0, false);
    Process process = start();
    try {
      awaitSeen(process, "orders of version 0: Order[number=0]");
      List<String> files = files(process);
      assertThat(files).isNotEmpty();
      for (int version = 1; version <= RESTARTS; version++) {
        compile(version, false);
        awaitSeen(
            process,
            "orders of version %1$d: Order[number=%1$d, customer%1$d=ada]".formatted(version));
        await()
            .untilAsserted(
                () -> {
                  assertThat(threads(process)) // others begin when they are needed
                      .containsEntry("RIVER-listeners", 1L)
                      .allSatisfy((name, count) -> assertThat(count).as(name).isLessThan(3));
                  assertThat(files(process)) // of a block more or fewer are mapped
                      .hasSizeLessThan(2 * files.size())
                      .filteredOn(file -> SINGLE.matcher(file).find())
                      .doesNotHaveDuplicates();
                });
      }
      compile(RESTARTS + 1, true); // takes what each version before has published
      int last = RESTARTS + 1;
      awaitSeen(
          process, "kept by version %1$d: Order[number=0, customer%1$d=null]".formatted(last));
      awaitSeen(
          process, "kept by version %1$d: Order[number=%1$d, customer%1$d=ada]".formatted(last));
      assertThat(seen()).filteredOn(line -> line.startsWith("kept")).hasSize(RESTARTS + 2);
      assertThat(log()).doesNotContain("ClassCastException", "Exception");
    } finally {
      process.destroy();
      process.waitFor();
    }
  }
}
