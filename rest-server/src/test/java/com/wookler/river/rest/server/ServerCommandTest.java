package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code ./river server} and {@code ./river keys}. */
@Timeout(120)
class ServerCommandTest {
  @TempDir Path directory;

  private Process start(String... arguments) throws IOException {
    return ServerProcess.start(directory, List.of(), arguments);
  }

  private static String run(List<String> command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return out;
  }

  @Test
  void shouldNameThePortThatIsInUse() throws Exception {
    try (RiverServer first = RiverServer.builder().port(0).directory(directory).start()) {
      Process second = start("server", "--port", String.valueOf(first.port()));
      assertThat(second.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(second.exitValue()).isEqualTo(2);
      assertThat(Files.readString(directory.resolve("err")))
          .contains("127.0.0.1:" + first.port())
          .contains("in use")
          .contains("--port");
    }
  }

  @Test
  void shouldServeWhatItTellsToTryAndEndWhenItIsTold() throws Exception {
    Process server = start("server", "--port", "0", "--backup", "kept");
    List<String> curls = new ArrayList<>();
    try (BufferedReader out =
        new BufferedReader(
            new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8))) {
      while (curls.size() < 3) {
        String line = out.readLine();
        assertThat(line).as(Files.readString(directory.resolve("err"))).isNotNull();
        if (line.startsWith("  curl ")) {
          curls.add(line.trim());
        }
      }
    }
    assertThat(shell(curls.get(0))).contains("\"sequence\":0");
    String taken = shell(curls.get(1));
    assertThat(taken).contains("order 1");
    String receipt = taken.replaceAll("(?s).*\"receipt\":\"([^\"]+)\".*", "$1");
    assertThat(shell(curls.get(2).replace("RECEIPT", receipt))).contains("\"result\":\"ok\"");
    assertThat(directory.resolve("river-data/orders")).isDirectory();
    String address = curls.get(0).replaceAll(".*(http://[^/]+)/.*", "$1");
    assertThat(
            shell(
                "curl -X PUT -d '{\"backup\":{\"retention\":\"7d\"}}' "
                    + address
                    + "/v1/queues/prices"))
        .contains("RUNNING");

    server.destroy(); // SIGTERM
    assertThat(server.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(server.exitValue()).isEqualTo(143);
    assertThat(Files.readAllLines(directory.resolve("err")))
        .singleElement()
        .asString()
        .contains(" audit - ", "method=PUT", "/v1/queues/prices");
    try (RiverServer again =
        RiverServer.builder()
            .port(0)
            .directory(directory.resolve("river-data"))
            .backupDirectory(directory.resolve("kept"))
            .start()) {
      assertThat(
              new Asked(again)
                  .get("/v1/queues/orders/subscribers/billing")
                  .json()
                  .at("/stats/lag")
                  .asLong())
          .isZero();
    }
  }

  private static String shell(String line) throws IOException, InterruptedException {
    return run(List.of("sh", "-c", line.replaceFirst("^curl", "curl -s")));
  }

  @Test
  void shouldParseAUsualCommandLineWithoutPicocli() {
    assertThat(ServerStart.ofUsual("server")).isEqualTo(new ServerStart(Map.of()));
    assertThat(
            ServerStart.ofUsual("server", "--port", "0", "--directory", "a b", "--backup", "kept"))
        .isEqualTo(
            new ServerStart(
                Map.of(ServerFlag.PORT, "0", ServerFlag.DATA, "a b", ServerFlag.BACKUP, "kept")));
    assertThat(ServerStart.ofUsual(Map.of("RIVER_SNAPSHOTS", "s"), "server"))
        .isEqualTo(ServerStart.ofUsual("server", "--snapshots", "s"))
        .isEqualTo(new ServerStart(Map.of(ServerFlag.SNAPSHOTS, "s")));
    assertThat(ServerStart.ofUsual("server", "--tls-cert", "c", "--tls-key", "k", "--keys", "f"))
        .isEqualTo(
            new ServerStart(
                Map.of(ServerFlag.TLS_CERT, "c", ServerFlag.TLS_KEY, "k", ServerFlag.KEYS, "f")));
    assertThat(ServerStart.ofUsual("server", "--data", "d", "--directory", "e")).isNull();
    assertThat(ServerStart.ofUsual("server", "--config", "river.xml"))
        .isEqualTo(new ServerStart(Map.of(ServerFlag.CONFIG, "river.xml")));
  }

  @Test
  void shouldTakeFromTheEnvironmentWhatTheCommandLineDoesNotSay() {
    Map<String, String> environment =
        Map.of(
            "RIVER_PORT",
            "1",
            "RIVER_CLIENT_CA",
            "ca.pem",
            "RIVER_INSECURE",
            "true",
            "RIVER_DATA",
            "");
    assertThat(ServerStart.ofUsual(environment, "server", "--port", "2"))
        .isEqualTo(
            new ServerStart(
                Map.of(
                    ServerFlag.PORT, "2",
                    ServerFlag.CLIENT_CA, "ca.pem",
                    ServerFlag.INSECURE, "true")));
    assertThat(ServerStart.ofUsual(Map.of("RIVER_INSECURE", "false"), "server"))
        .isEqualTo(new ServerStart(Map.of()));
    Map<String, String> links =
        Map.of("RIVER_PORT", "tcp://10.0.0.1:8080", "RIVER_HEALTH_PORT", "tcp://10.0.0.2:8081");
    assertThat(ServerStart.ofUsual(links, "server")).isEqualTo(new ServerStart(Map.of()));
    assertRefused(Map.of("RIVER_MEMCACHE", "tcp://10.0.0.1:1"), "(RIVER_MEMCACHE) is 'tcp:");
    assertRefused(Map.of("RIVER_INSECURE", "yes"), "RIVER_INSECURE is 'yes'");
    assertRefused(Map.of("RIVER_PORT", "http"), "(RIVER_PORT) is 'http'");
    assertRefused(Map.of("RIVER_PORT", "65536"), "not a port");
    assertRefused(Map.of("RIVER_TLS_KEY", "key.pem"), "--tls-cert and --tls-key");
    assertRefused(Map.of("RIVER_CLIENT_CA", "ca.pem"), "server.ssl.client.ca needs TLS");
    assertRefused(Map.of("RIVER_PORT", "1"), "RIVER_PORT cannot", "--config", "river.xml");
    assertRefused(Map.of("RIVER_CONFIG", "a"), "--port cannot", "--port", "1");
  }

  @Test
  void shouldLetTheCommandLineTakeBackWhatTheEnvironmentAllows() {
    assertThat(insecure()).isTrue();
    assertThat(insecure("--insecure")).isTrue();
    assertThat(insecure("--insecure=false")).isFalse();
  }

  /** Whether a server is insecure with these arguments and a variable that says so. */
  private static boolean insecure(String... arguments) {
    ServerCommand command = new ServerCommand();
    new CommandLine(command).parseArgs(arguments);
    return command
        .start(Map.of("RIVER_INSECURE", "true"))
        .values()
        .containsKey(ServerFlag.INSECURE);
  }

  private void assertRefused(Map<String, String> environment, String says, String... more) {
    List<String> arguments = new ArrayList<>(List.of("server"));
    if (more.length > 1) {
      arguments.addAll(List.of(more));
    }
    assertThatThrownBy(
            () -> ServerStart.ofUsual(environment, arguments.toArray(new String[0])).start())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining(says);
  }

  @Test
  void shouldRefuseOnePortForTwoListeners() {
    String both = "(--health-port, RIVER_HEALTH_PORT) and server.queue.port (--port, RIVER_PORT)";
    assertRefused(Map.of(), both, "--port", "18142", "--health-port", "18142");
    assertRefused(Map.of("RIVER_HEALTH_PORT", "18142"), both, "--port", "18142");
    assertRefused(
        Map.of("RIVER_MEMCACHE", "8080"), "(--memcache, RIVER_MEMCACHE) and server.queue");
    assertRefused(
        Map.of(), "memcache.port", "--host", "localhost", "--health-port", "1", "--memcache", "1");
    assertThatThrownBy(
            () -> builder().host("0.0.0.0").insecure(true).port(18_142).memcache(18_142).start())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("are both 18142");
    try (RiverServer any =
        builder().port(0).healthPort(0).memcache(0).start()) { // each gets another one
      assertThat(Set.of(any.port(), any.healthPort(), any.memcachePort())).hasSize(3);
    }
  }

  @Test
  void shouldRefuseEachPortOfAnotherServer() {
    try (RiverServer first = builder().port(0).healthPort(0).memcache(0).start()) {
      for (int taken : List.of(first.port(), first.healthPort(), first.memcachePort())) {
        Path other = directory.resolve("other");
        for (RiverServer.Builder second :
            List.of(
                RiverServer.builder().directory(other).port(taken),
                RiverServer.builder().directory(other).port(0).healthPort(taken),
                RiverServer.builder().directory(other).port(0).memcache(taken))) {
          assertThatThrownBy(second::start)
              .isInstanceOf(RiverException.class)
              .hasMessageContaining(
                  "127.0.0.1:" + taken + ": Address already in use; choose another");
        }
      }
    }
  }

  /** Other addresses of this machine do not overlap. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void shouldListenOnOnePortOfTwoAddresses() {
    int free;
    try (RiverServer first = builder().port(0).start()) {
      free = first.port();
    }
    try (RiverServer server =
        builder().port(free).memcacheHost("127.0.0.2").memcache(free).start()) {
      assertThat(server.memcachePort()).isEqualTo(server.port()).isEqualTo(free);
    }
  }

  private RiverServer.Builder builder() {
    return RiverServer.builder().directory(directory.resolve("data"));
  }

  @Test
  void shouldRefuseADirectoryToWhichItCannotWrite() throws Exception {
    Path file = Files.createFile(directory.resolve("file"));
    String below = file.resolve("data").toString();
    assertThat(refused("server", "--port", "0", "--data", below))
        .contains("cannot write to the directory of the queues", below, "--data");
    assertThat(refused("server", "--port", "0", "--data", file.toString()))
        .contains("is no directory");
    Path xml =
        Files.writeString(
            directory.resolve("river.xml"),
            "<river><server><params><param name='server.directory' value='%s'/></params></server></river>"
                .formatted(below));
    assertThat(refused("server", "--config", xml.toString())).contains("server.directory");
    try (RiverServer server = builder().port(0).start()) {
      assertThat(server.port()).isPositive();
      assertThat(directory.resolve("data")).isEmptyDirectory();
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void shouldRefuseADirectoryInWhichNoFileCanBeMade() {
    for (String system : List.of("/proc/river", "/proc/self")) {
      assertThat(refused("server", "--port", "0", "--data", system))
          .contains("cannot write to the directory of the queues", system);
    }
  }

  @Test
  void shouldRefuseEmptyValues() {
    for (ServerFlag flag : ServerFlag.values()) {
      if (!flag.isSwitch()) {
        assertThat(refused("server", flag.flag(), "")).as(flag.flag()).contains(flag.flag());
        assertThat(ServerStart.ofUsual(Map.of(flag.variable(), ""), "server"))
            .isEqualTo(new ServerStart(Map.of()));
      }
    }
    assertThat(refused("server", "--directory", "")).contains("--data is empty");
    assertThat(refused("server", "--host", "")).contains("--host is empty");
    assertThat(refused("keys", "list", "--file", "")).contains("it is empty");
    assertThatThrownBy(() -> builder().host("").start())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("server.host (--host) is empty");
  }

  /** Runs a command that is refused in a line, and returns that. */
  private static String refused(String... arguments) {
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int code = Main.run(OutputStream.nullOutputStream(), err, arguments);
    String said = err.toString(StandardCharsets.UTF_8);
    assertThat(code).as(said).isEqualTo(Main.REFUSED);
    assertThat(said.lines()).hasSize(1);
    return said;
  }

  @Test
  void shouldSayThatAnAddressIsNotThisMachines() {
    assertThat(refused("server", "--insecure", "--host", "192.0.2.1", "--port", "0"))
        .contains("cannot listen on 192.0.2.1:0")
        .contains("192.0.2.1 is no address of this machine, choose one with --host or server.host");
  }

  @Test
  void shouldRefuseNamesThatAreTheHostOfNoRequest() {
    for (String names :
        List.of("*", "http://x/", "a b,,c", "a,", ",a", "a:8443", "a/b", "*.a", "a..b", "bücher")) {
      assertRefused(Map.of("RIVER_ALLOWED_HOSTS", names, "RIVER_PORT", "0"), "--allowed-hosts");
    }
    for (String names :
        List.of("a b, c", "river-1.example_.com.", "10.0.0.1", "[::1]", " a\n b ")) {
      try (RiverServer server =
          new ServerStart(
                  Map.of(
                      ServerFlag.PORT,
                      "0",
                      ServerFlag.DATA,
                      directory.resolve("data").toString(),
                      ServerFlag.ALLOWED_HOSTS,
                      names))
              .start()) {
        assertThat(server.port()).isPositive();
      }
    }
  }

  @Test
  void shouldHelpInEachCommand() {
    for (String command : List.of("", "server", "keys", "keys add", "keys list", "keys revoke")) {
      for (String option : List.of("--help", "--version")) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        String[] line = (command + " " + option).trim().split(" ");
        assertThat(Main.run(out, out, line)).as(command).isEqualTo(Main.DONE);
        assertThat(out.toString(StandardCharsets.UTF_8))
            .as(command + option)
            .containsPattern(option.equals("--help") ? "Usage: river" : "[0-9]+\\.[0-9]+");
      }
    }
  }

  @Test
  void shouldLeaveEachOtherCommandLineToPicocli() {
    assertThat(
            Stream.of(
                "",
                "keys list",
                "server --help",
                "server --port=1",
                "server --port",
                "server --port -1",
                "server --port 1a",
                "server --port 8080 --port 8081",
                "server --directory @file",
                "server --unknown 1"))
        .allSatisfy(line -> assertThat(ServerStart.ofUsual(line.split(" "))).isNull());
    assertThat(ServerStart.ofUsual()).isNull();
  }

  @Test
  void shouldSayInALineWhatItRefuses() throws Exception {
    Path file =
        Files.writeString(
            directory.resolve("river.xml"),
            "<river><server><params><param name='server.host'"
                + " value='0.0.0.0'/></params></server></river>");
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int code =
        Main.run(OutputStream.nullOutputStream(), err, "server", "--config", file.toString());

    assertThat(code).isEqualTo(Main.REFUSED);
    assertThat(err.toString(StandardCharsets.UTF_8).lines()).hasSize(1);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("server.insecure");

    err.reset();
    code =
        Main.run(
            OutputStream.nullOutputStream(),
            err,
            "server",
            "--host=0.0.0.0",
            "--port=0",
            "--data=" + directory);
    assertThat(code).isEqualTo(Main.REFUSED);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("--insecure");
  }

  private String keys(int code, String... arguments) {
    List<String> all = new ArrayList<>(List.of("keys"));
    all.addAll(List.of(arguments));
    all.addAll(List.of("--file", directory.resolve("keys.json").toString()));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    int ended = Main.run(out, out, all.toArray(new String[0]));
    assertThat(ended).as(out.toString(StandardCharsets.UTF_8)).isEqualTo(code);
    return out.toString(StandardCharsets.UTF_8).trim();
  }

  @Test
  void shouldMakeKeysWithLimits() {
    String key =
        keys(
            Main.DONE,
            "add",
            "partner",
            "--publish=orders",
            "--expires=2027-01-01T00:00:00Z",
            "--requests=10:50",
            "--messages=100");
    assertThat(keys(Main.DONE, "list"))
        .isEqualTo(
            key.substring(6, 18)
                + "  \"partner\"  publish [orders]  consume []  admin []  metrics []"
                + "  expires 2027-01-01T00:00:00Z  requests 10:50  messages 100:100");
    keys(Main.DONE, "add", "guest", "--expires=90d", "--consume=*");
    assertThat(keys(Main.DONE, "list")).containsPattern("guest.* expires 20[0-9T:-]+Z");
    assertThat(keys(Main.REFUSED, "add", "bad", "--expires=tomorrow", "--consume=*"))
        .contains("--expires");
    for (String past : List.of("0s", "2001-01-01T00:00:00Z")) {
      assertThat(keys(Main.REFUSED, "add", "bad", "--consume=*", "--expires=" + past))
          .contains("--expires", "'" + past + "' is not in the future");
    }
    assertThat(keys(Main.REFUSED, "add", "bad", "--requests=0", "--consume=*"))
        .contains("--requests");
    assertThat(keys(Main.REFUSED, "add", "bad", "--messages=1:2000000", "--consume=*"))
        .contains("burst");
  }

  @Test
  void shouldRefuseAKeyThatIsNoUseOrHasTheNameOfAnother() {
    String id = keys(Main.DONE, "add", "shop", "--publish=orders").substring(6, 18);
    assertThat(keys(Main.REFUSED, "add", "shop", "--publish=prices"))
        .contains("has a key with the name or id 'shop' already", "choose another name");
    assertThat(keys(Main.REFUSED, "add", id, "--publish=orders")).contains("already");
    assertThat(keys(Main.REFUSED, "add", "", "--publish=orders")).contains("NAME is empty");
    assertThat(keys(Main.REFUSED, "add", "idle")).contains("without rights", "--publish");
    assertThat(keys(Main.DONE, "list").lines()).singleElement().asString().startsWith(id);
    keys(Main.DONE, "add", "shop-2", "--publish=orders"); // both are valid for a while
    assertThat(keys(Main.DONE, "revoke", "shop")).isEqualTo("revoked");
    keys(Main.DONE, "add", "shop", "--publish=orders");
  }

  @Test
  void shouldMakeListAndRevokeKeys() throws Exception {
    String key = keys(Main.DONE, "add", "shop", "--publish", "orders,eu-*", "--admin", "own");
    assertThat(key).matches("river_[0-9a-f]{12}_[A-Za-z0-9_-]{43}");
    String id = key.substring(6, 18);
    assertThat(keys(Main.DONE, "list"))
        .isEqualTo(id + "  \"shop\"  publish [orders, eu-*]  consume []  admin [own]  metrics []");
    assertThat(Files.readString(directory.resolve("keys.json")))
        .contains("\"format\":\"river-keys\",\"version\":1")
        .doesNotContain(key.substring(19));
    assertThat(Files.getPosixFilePermissions(directory.resolve("keys.json"))).hasSize(2);
    assertThat(keys(Main.REFUSED, "add", "bad", "--publish", "../etc")).contains("../etc");
    assertThat(keys(Main.NOTHING, "revoke", "nobody")).contains("nobody");
    assertThat(keys(Main.DONE, "revoke", id)).isEqualTo("revoked");
    assertThat(keys(Main.DONE, "list")).isEmpty();
  }
}
