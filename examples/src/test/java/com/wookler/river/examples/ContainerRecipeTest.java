package com.wookler.river.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The recipe for a container, and the unit of systemd, in docs/server.md do what the page says. */
@Tag("full")
@Timeout(240)
class ContainerRecipeTest {
  private static final Path ROOT = Path.of("").toAbsolutePath(); // tests run in the root directory
  private static final Map<String, String> INSECURE = Map.of("RIVER_INSECURE", "true");
  private static final int TERMINATED = 143; // as docs/server.md says
  private static final int REFUSED = 2;

  /** Seconds in which a server ends, as docs/server.md says, and some for a busy machine. */
  private static final int END_SECONDS = 45;

  @TempDir Path directory;
  private ContainerRecipe recipe;
  private Container.Image image;
  private Path volume;
  private Path configuration;
  private int started;

  @BeforeEach
  void build() throws Exception {
    Container.assume();
    recipe = new ContainerRecipe(ROOT.resolve("docs/server.md"), "In a container");
    for (ContainerRecipe.Copy copy : recipe.copies()) {
      assumeTrue(Files.exists(ROOT.resolve(copy.from())), copy.from() + " is made by mvn package");
    }
    image = Container.build(recipe, ROOT, Files.createDirectory(directory.resolve("root")));
    volume = directory.resolve("volume");
    sh("cp -a " + image.root() + recipe.volume() + " " + volume); // as of a new volume
    configuration = Files.createDirectory(directory.resolve("configuration"));
  }

  private static String sh(String command) throws IOException, InterruptedException {
    Container.Answer answer = Container.run(Map.of(), "sh", "-c", command);
    assertThat(answer.exit()).as("%s: %s", command, answer.output()).isZero();
    return answer.output();
  }

  /** Runs a documented command of the host, with the configuration's directory in place of its. */
  private String shOnHost(String command) throws IOException, InterruptedException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String jar = ROOT.resolve(recipe.copies().get(0).from()).toString();
    return sh(
        command
            .replace("/etc/river", configuration.toString())
            .replace("./river ", java + " -jar " + jar + " "));
  }

  private Container start(Map<String, String> variables) throws IOException {
    return start(variables, recipe.commandLine());
  }

  private Container start(Map<String, String> variables, List<String> line) throws IOException {
    Path output = directory.resolve("output" + started++);
    return Container.start(image, volume, configuration, variables, line, output);
  }

  private static void awaitHealth(Container container) {
    await()
        .untilAsserted(
            () -> {
              assertThat(container.isRunning()).as(container.output()).isTrue();
              assertThat(container.healthCheck()).as(container.output()).isZero();
            });
  }

  @Test
  void shouldCopyAllThatTheServerIsMadeOf() throws Exception {
    Path server = image.root().resolve("opt/river");
    List<String> line = recipe.commandLine();
    Path jar = image.root().resolve(line.get(line.indexOf("-jar") + 1).substring(1));
    try (JarFile opened = new JarFile(jar.toFile())) {
      String names = opened.getManifest().getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
      assertThat(names.split(" ", -1))
          .isNotEmpty()
          .allMatch(each -> Files.exists(server.resolve(each)));
    }
    assertThat(Files.getAttribute(image.root().resolve(recipe.volume().substring(1)), "unix:uid"))
        .isEqualTo(recipe.user());
  }

  @Test
  void shouldServeAsAUserWhoWritesToTheVolumeAndTmpAloneAndKeepWhatItHasAcrossRestarts()
      throws Exception {
    try (Container container = start(INSECURE)) {
      awaitHealth(container);
      assertThat(container.execute("id -u").output()).isEqualTo(String.valueOf(recipe.user()));
      assertThat(container.execute("cat /proc/1/status").output())
          .contains("Uid:\t" + recipe.user() + "\t" + recipe.user())
          .contains("CapEff:\t0000000000000000");
      for (String place : List.of("/", "/opt/river", "/opt/river/lib", "/etc/river", "/usr")) {
        assertThat(container.execute("touch " + place + "/some").exit()).as(place).isNotZero();
        assertThat(container.executeAsRoot("touch " + place + "/some").output())
            .contains("Read-only file system");
      }
      assertThat(container.execute("touch " + recipe.volume() + "/some /tmp/some").exit()).isZero();
      assertThat(curl(container, "-d order http://127.0.0.1:8080/v1/queues/orders/messages"))
          .contains("\"sequence\":0");
      assertThat(curl(container, "http://127.0.0.1:8081/metrics")).contains("river_");
      try (Container second = start(INSECURE)) {
        assertThat(second.exitCode(60)).as(second.output()).isEqualTo(REFUSED);
        assertThat(second.output()).contains("another process");
      }
      container.signal("TERM");
      assertThat(container.exitCode(END_SECONDS)).as(container.output()).isEqualTo(TERMINATED);
    }
    assertThat(volume.resolve("orders")).isDirectory();
    try (Container again = start(INSECURE)) {
      awaitHealth(again);
      assertThat(curl(again, "http://127.0.0.1:8080/v1/queues/orders/messages/0"))
          .contains("\"data\":\"order\"");
    }
  }

  private static String curl(Container container, String arguments) throws Exception {
    return container.execute("curl -sk " + arguments).output();
  }

  /** Makes a certificate, and keys by the documented commands; returns the key. */
  private String configure() throws Exception {
    assumeTrue(Container.run(Map.of(), "which", "openssl").exit() == 0, "there is no openssl");
    sh(
        "cd "
            + configuration
            + " && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
            + " -keyout key.pem -out chain.pem -subj /CN=river");
    String key = "";
    for (String command : recipe.commands()) {
      String made = shOnHost(command);
      key = key.isEmpty() ? made : key;
    }
    return key;
  }

  @Test
  void shouldServeWithKeysAndTlsAsTheDocumentedStartSays() throws Exception {
    assertThat(recipe.run()).contains(" --read-only --tmpfs /tmp:exec -v river:" + recipe.volume());
    assertThat(recipe.run()).contains(" -v /etc/river:/etc/river:ro ");
    String key = configure();
    try (Container container = start(recipe.documentedEnvironment())) {
      awaitHealth(container);
      String request = "-o /dev/null -w '%{http_code}' https://127.0.0.1:8080/v1/queues";
      assertThat(curl(container, request)).isEqualTo("401");
      String withKey = "-H 'Authorization: Bearer " + key + "' " + request;
      assertThat(curl(container, withKey)).isEqualTo("200");
      shOnHost("./river keys revoke operator --file /etc/river/keys.json");
      await().untilAsserted(() -> assertThat(curl(container, withKey)).isEqualTo("401"));
      container.signal("TERM");
      assertThat(container.exitCode(END_SECONDS)).as(container.output()).isEqualTo(TERMINATED);
    }
  }

  @Test
  void shouldBeRefusedWithoutKeysAndTls() throws Exception {
    try (Container container = start(Map.of())) {
      assertThat(container.exitCode(60)).as(container.output()).isEqualTo(REFUSED);
      assertThat(container.output()).contains("--insecure");
    }
  }

  @Test
  void shouldBeUnhealthyWhereTheServerDoesNotRunOrDoesNotAnswer() throws Exception {
    try (Container without = start(INSECURE, List.of("sleep", "600"))) {
      assertThat(without.execute("id -u").exit()).as(without.output()).isZero();
      assertThat(without.healthCheck()).isNotZero();
    }
    try (Container container = start(INSECURE)) {
      awaitHealth(container);
      container.signal("STOP");
      assertThat(container.healthCheck()).isNotZero();
      container.signal("CONT");
      awaitHealth(container);
    }
  }

  private static String unit() throws IOException {
    return Files.readString(ROOT.resolve("docs/server.md"))
        .split("```ini\n", 2)[1]
        .split("```", 2)[0];
  }

  @Test
  void shouldHaveAUnitInWhichSystemdFindsNothingWrong() throws Exception {
    assumeTrue(Container.run(Map.of(), "which", "systemd-analyze").exit() == 0, "no systemd");
    assumeTrue(Files.exists(Path.of("/usr/bin/java")), "there is no /usr/bin/java");
    Path file = Files.writeString(directory.resolve("river.service"), unit());
    assertThat(sh("systemd-analyze verify --man=no " + file + " 2>&1")).isEmpty();
  }

  /** The unit has the files where the container has them. */
  @Test
  void shouldServeAsTheUnitOfSystemdStartsIt() throws Exception {
    configure();
    Map<String, String> variables = new HashMap<>();
    List<String> line = new ArrayList<>();
    for (String each : unit().lines().toList()) {
      if (each.startsWith("Environment=")) {
        variables.putAll(ContainerRecipe.variables(each.replaceFirst("Environment=", "")));
      } else if (each.startsWith("ExecStart=")) {
        line.addAll(List.of(each.replaceFirst("ExecStart=/usr/bin/", "").split(" ", -1)));
      }
    }
    assertThat(unit()).contains("\nSuccessExitStatus=" + TERMINATED + "\n");
    try (Container container = start(variables, line)) {
      awaitHealth(container);
      assertThat(curl(container, "-o /dev/null -w '%{http_code}' https://127.0.0.1:8443/v1/queues"))
          .isEqualTo("401");
      container.signal("TERM");
      assertThat(container.exitCode(END_SECONDS)).as(container.output()).isEqualTo(TERMINATED);
    }
  }
}
