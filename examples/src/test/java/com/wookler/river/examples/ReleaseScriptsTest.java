package com.wookler.river.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What prepares a release, on a copy of the files that it reads. */
class ReleaseScriptsTest {
  private static final Path ROOT = Path.of("").toAbsolutePath(); // tests run in the root directory
  private static final Set<String> OTHERS = Set.of("target", ".git", "node_modules");
  private static final Pattern VERSION =
      Pattern.compile("<artifactId>river-bom</artifactId>\\s*<version>([^<]+)</version>");

  private static final String OTHER = "97.98." + 99; // in parts: this file is copied, too

  @TempDir Path copy;

  /** Returns the files with one of the texts, by their path. */
  private static Map<String, String> files(Path root, String... texts) throws IOException {
    Map<String, String> files = new TreeMap<>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes of) {
            return OTHERS.contains(String.valueOf(directory.getFileName()))
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes of) throws IOException {
            if (file.toString().matches(".*([.](md|xml|java|yml)|/river)")) {
              String text = Files.readString(file);
              if (List.of(texts).stream().anyMatch(text::contains)) {
                files.put(root.relativize(file).toString(), text);
              }
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return files;
  }

  private static String version() throws IOException {
    Matcher found = VERSION.matcher(Files.readString(ROOT.resolve("bom/pom.xml")));
    assertThat(found.find()).isTrue();
    return found.group(1);
  }

  private void copy(Map<String, String> files, String script) throws IOException {
    for (Map.Entry<String, String> file : files.entrySet()) {
      Path to = copy.resolve(file.getKey());
      Files.createDirectories(to.getParent());
      Files.writeString(to, file.getValue());
    }
    Files.createDirectories(copy.resolve(".ci"));
    Files.copy(ROOT.resolve(script), copy.resolve(script));
  }

  /** Returns the exit code, and what it wrote. */
  private String run(String... command) throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(copy.toFile()).redirectErrorStream(true);
    builder.environment().merge("PATH", copy.toString(), (path, own) -> own + ":" + path);
    Process process = builder.start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return process.waitFor() + " " + output.strip();
  }

  @Test
  void shouldSetTheVersionOfRiverAndNoOther() throws Exception {
    String now = version();
    Map<String, String> before = files(ROOT, now, "1.0.0");
    copy(before, ".ci/version");

    assertThat(run(".ci/version", OTHER)).isEqualTo("0 " + now + " is " + OTHER + " now");
    Map<String, String> after = files(copy, OTHER);
    assertThat(after).containsKeys("pom.xml", "core/pom.xml", "river", "README.md");
    after.forEach(
        (file, text) -> assertThat(text.replace(OTHER, now)).as(file).isEqualTo(before.get(file)));
    if (now.endsWith("-SNAPSHOT")) { // which no other artifact has, but for that of an example
      assertThat(files(copy, now)).containsOnlyKeys("docs/getting-started.md");
    }

    assertThat(run(".ci/version", "1.0.0")).startsWith("0 ");
    assertThat(run(".ci/version", OTHER + "-SNAPSHOT")).startsWith("0 ");
    assertThat(run(".ci/version", now)).startsWith("0 ");
    assertThat(files(copy, now, "1.0.0")).isEqualTo(before);
  }

  @Test
  void shouldRefuseWhatIsNoVersion() throws Exception {
    copy(Map.of(), ".ci/version");
    assertThat(run(".ci/version")).startsWith("2 usage: ");
    assertThat(run(".ci/version", "1.0 & more")).startsWith("2 usage: ");
  }

  /** Writes a program that the scripts find before the machine's. */
  private void program(String name, String script) throws IOException {
    Path file = Files.writeString(copy.resolve(name), "#!/bin/sh\nset -e\n" + script);
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  /** Stages the bill of materials as Maven does, with an address of its project. */
  private void maven(String home) throws IOException {
    String parts = "<name>n</name><description>d</description><licenses></licenses>";
    String pom = parts + "<developers></developers><scm></scm><url>" + home + "</url>";
    String staged = "target/staging/com/wookler/river/river-bom/5.6.7";
    program(
        "mvn",
        """
        mkdir -p bom/target %1$s
        echo '%2$s' | tee bom/target/.flattened-pom.xml >%1$s/river-bom-5.6.7.pom
        touch %1$s/river-bom-5.6.7.pom.asc
        """
            .formatted(staged, pom));
  }

  private void poms(String home, String homeInTheBom) throws IOException {
    String pom =
        "<artifactId>%s</artifactId>\n<version>5.6.7</version>\n<river.home>%s</river.home>";
    Files.writeString(copy.resolve("pom.xml"), pom.formatted("river-parent", home));
    Files.writeString(
        copy.resolve("bom/pom.xml"),
        pom.formatted("river-bom", homeInTheBom) + "\n<packaging>pom</packaging>");
  }

  @Test
  void shouldReleaseNothingThatIsAtHomeNowhere() throws Exception {
    String nowhere = "https://river.invalid";
    String home = "https://river.example";
    copy(Map.of("bom/pom.xml", ""), ".ci/release");
    for (String other : List.of("gpg", "gpgconf", "unzip")) {
      program(other, "exit 0\n");
    }
    maven(home);
    poms(nowhere, home);
    assertThat(run(".ci/release")).startsWith("1 release: pom.xml names an address in .invalid");
    poms(home, nowhere);
    assertThat(run(".ci/release"))
        .startsWith("1 release: bom/pom.xml names an address in .invalid");
    poms(home, home);
    assertThat(run(".ci/release")).startsWith("0 ");
    maven(nowhere);
    assertThat(run(".ci/release")).contains("river-bom-5.6.7.pom names an address in .invalid");
  }
}
