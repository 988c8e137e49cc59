package com.wookler.river.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * What a container runtime does with a recipe, by namespaces of Linux: the process is the first one
 * of its own, with its own network, and sees a root file system to which it cannot write, a volume
 * and a temporary {@code /tmp}. Programs and libraries are this machine's, in place of those of the
 * image that the recipe begins with. Needs root.
 */
final class Container implements AutoCloseable {
  private static final List<String> TOOLS =
      List.of("unshare", "nsenter", "setpriv", "chroot", "mount", "ip", "curl", "useradd");
  private static final List<String> SYSTEM = List.of("usr", "bin", "sbin", "lib", "lib64");

  /** What the programs of the system read. */
  private static final List<String> ETC = List.of("login.defs", "nsswitch.conf", "ld.so.cache");

  /** Mounts the system's directories into the directory ROOT. */
  private static final String MOUNT_SYSTEM =
      """
      set -eu
      mount --bind "$ROOT" "$ROOT"
      for each in $SYSTEM; do
        mount --rbind "/$each" "$ROOT/$each"
        mount -o remount,bind,ro "$ROOT/$each"
      done
      """;

  /** Mounts what a runtime does besides, and becomes the process of the container. */
  private static final String RUN =
      MOUNT_SYSTEM
          + """
          ip link set lo up
          mount -t proc none "$ROOT/proc"
          mount -t tmpfs -o mode=755 none "$ROOT/dev"
          for each in null zero random urandom; do
            : > "$ROOT/dev/$each"
            mount --bind "/dev/$each" "$ROOT/dev/$each"
          done
          mount -t tmpfs -o mode=1777,nosuid,nodev,exec,size=64m none "$ROOT/tmp"
          mount --bind "$VOLUME" "$ROOT$VOLUME_IN"
          mount --bind "$CONFIGURATION" "$ROOT/etc/river"
          mount -o remount,bind,ro "$ROOT/etc/river"
          mount -o remount,bind,ro "$ROOT"
          exec env -i "$(command -v chroot)" "$ROOT" "$@"
          """;

  private final Image image;
  private final Process process;
  private final Path output;

  /** A root file system made by a recipe, to which no container writes. */
  record Image(ContainerRecipe recipe, Path root, int group) {}

  /** What a command answered. */
  record Answer(int exit, String output) {}

  private Container(Image image, Process process, Path output) {
    this.image = image;
    this.process = process;
    this.output = output;
  }

  /** Skips the test where namespaces cannot be made. */
  static void assume() throws IOException, InterruptedException {
    assumeTrue("root".equals(System.getProperty("user.name")), "namespaces need root");
    for (String tool : TOOLS) {
      assumeTrue(run(Map.of(), "which", tool).exit() == 0, "there is no " + tool);
    }
    Answer answer =
        run(Map.of(), "unshare", "--mount", "--pid", "--net", "--fork", "ip", "link", "show", "lo");
    assumeTrue(answer.exit() == 0, "namespaces cannot be made: " + answer.output());
  }

  static Answer run(Map<String, String> variables, String... command)
      throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(variables);
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(output).isTrue();
    return new Answer(process.exitValue(), output.trim());
  }

  private static void must(Map<String, String> variables, String... command)
      throws IOException, InterruptedException {
    Answer answer = run(variables, command);
    assertThat(answer.exit()).as("%s: %s", List.of(command), answer.output()).isZero();
  }

  /** The directories that are this machine's, which have the JVM of the test. */
  private static List<String> system() throws IOException {
    List<String> all = new ArrayList<>();
    for (String each : SYSTEM) {
      Path directory = Path.of("/", each);
      if (Files.isDirectory(directory) && !Files.isSymbolicLink(directory)) {
        all.add(each);
      }
    }
    try (Stream<Path> files = Files.list(Path.of("/etc"))) { // what links of /usr lead to
      files
          .filter(Files::isDirectory)
          .map(each -> each.toString().substring(1))
          .filter(each -> each.equals("etc/alternatives") || each.startsWith("etc/java"))
          .forEach(all::add);
    }
    Path home = javaHome();
    if (!home.startsWith("/usr")) {
      all.add(home.toString().substring(1));
    }
    return all;
  }

  private static Path javaHome() throws IOException {
    return Path.of(System.getProperty("java.home")).toRealPath();
  }

  private static String path() throws IOException {
    return javaHome() + "/bin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  }

  /** Makes the root file system, as its recipe says, of a checkout in which it was built. */
  static Image build(ContainerRecipe recipe, Path checkout, Path root)
      throws IOException, InterruptedException {
    for (String each : List.of("proc", "dev", "tmp", "root", "etc/river", "var/lib")) {
      Files.createDirectories(root.resolve(each));
    }
    for (String each : system()) {
      Files.createDirectories(root.resolve(each));
    }
    for (String each : SYSTEM) {
      if (Files.isSymbolicLink(Path.of("/", each))) {
        Files.createSymbolicLink(root.resolve(each), Files.readSymbolicLink(Path.of("/", each)));
      }
    }
    for (String each : ETC) {
      if (Files.exists(Path.of("/etc", each))) {
        Files.copy(Path.of("/etc", each), root.resolve("etc").resolve(each));
      }
    }
    Files.writeString(root.resolve("etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n");
    Files.writeString(root.resolve("etc/group"), "root:x:0:\n");
    for (String command : recipe.buildCommands()) {
      must(
          Map.of("ROOT", root.toString(), "SYSTEM", String.join(" ", system()), "COMMAND", command),
          namespaces(MOUNT_SYSTEM + "exec chroot \"$ROOT\" sh -c \"$COMMAND\"", "--mount"));
    }
    for (ContainerRecipe.Copy copy : recipe.copies()) {
      copy(checkout.resolve(copy.from()), copy.to(), root);
    }
    String user = ":" + recipe.user() + ":";
    String line =
        Files.readAllLines(root.resolve("etc/passwd")).stream()
            .filter(each -> each.contains(user))
            .findFirst()
            .orElseThrow();
    return new Image(recipe, root, Integer.parseInt(line.split(":", -1)[3]));
  }

  private static String[] namespaces(String script, String... kinds) {
    List<String> command = new ArrayList<>(List.of("unshare", "--propagation", "private"));
    command.addAll(List.of(kinds));
    command.addAll(List.of("--fork", "--kill-child", "sh", "-c", script, "sh"));
    return command.toArray(new String[0]);
  }

  /** Copies a file, or the content of a directory, as {@code COPY} does. */
  private static void copy(Path from, String to, Path root) throws IOException {
    Path target = root.resolve(to.substring(1));
    if (!Files.isDirectory(from)) {
      Path file = to.endsWith("/") ? target.resolve(from.getFileName()) : target;
      Files.createDirectories(file.getParent());
      Files.copy(from, file);
      return;
    }
    Files.createDirectories(target);
    try (Stream<Path> files = Files.list(from)) {
      for (Path each : files.toList()) {
        Files.copy(each, target.resolve(each.getFileName()));
      }
    }
  }

  /**
   * Starts a container.
   *
   * @param volume has what a new volume has, or what containers before left
   * @param configuration is {@code /etc/river}, to which it cannot write
   * @param output where it writes to
   */
  static Container start(
      Image image,
      Path volume,
      Path configuration,
      Map<String, String> variables,
      List<String> commandLine,
      Path output)
      throws IOException {
    Map<String, String> all = new LinkedHashMap<>(image.recipe().environment());
    all.putAll(variables);
    List<String> command = new ArrayList<>(List.of(namespaces(RUN, "--mount", "--pid", "--net")));
    command.addAll(asUser(image, all));
    command.addAll(commandLine);
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder
        .environment()
        .putAll(
            Map.of(
                "ROOT", image.root().toString(),
                "SYSTEM", String.join(" ", system()),
                "VOLUME", volume.toString(),
                "VOLUME_IN", image.recipe().volume(),
                "CONFIGURATION", configuration.toString()));
    return new Container(image, builder.redirectOutput(output.toFile()).start(), output);
  }

  /** What makes a process in the container the user's, who has no other right. */
  private static List<String> asUser(Image image, Map<String, String> variables)
      throws IOException {
    List<String> command = new ArrayList<>(List.of("/usr/bin/setpriv"));
    command.add("--reuid=" + image.recipe().user());
    command.add("--regid=" + image.group());
    command.addAll(List.of("--clear-groups", "--no-new-privs", "--bounding-set=-all"));
    command.addAll(List.of("/usr/bin/env", "-i", "PATH=" + path()));
    variables.forEach((name, value) -> command.add(name + "=" + value));
    return command;
  }

  /** Runs a command of the shell in the container, as its user. */
  Answer execute(String command) throws IOException, InterruptedException {
    List<String> line = new ArrayList<>(inside());
    line.addAll(asUser(image, image.recipe().environment()));
    line.addAll(List.of("sh", "-c", command));
    return run(Map.of(), line.toArray(new String[0]));
  }

  /** Runs a command of the shell in the container, as root. */
  Answer executeAsRoot(String command) throws IOException, InterruptedException {
    List<String> line = new ArrayList<>(inside());
    line.addAll(List.of("/usr/bin/env", "-i", "PATH=" + path(), "sh", "-c", command));
    return run(Map.of(), line.toArray(new String[0]));
  }

  private List<String> inside() {
    return List.of(
        "nsenter",
        "--target",
        Long.toString(first().pid()),
        "--mount",
        "--pid",
        "--net",
        "--root",
        "--wd");
  }

  /** The first process of the container. */
  private ProcessHandle first() {
    return await().until(() -> process.children().findFirst(), found -> found.isPresent()).get();
  }

  /** Runs the recipe's health check, with its limit of time; a runtime judges by the exit code. */
  int healthCheck() throws IOException, InterruptedException {
    String limit = Long.toString(image.recipe().healthCheckTimeout().toSeconds());
    return execute("timeout " + limit + " sh -c '" + image.recipe().healthCheck() + "'").exit();
  }

  void signal(String name) throws IOException, InterruptedException {
    must(Map.of(), "kill", "-" + name, Long.toString(first().pid()));
  }

  /** Waits for its end, and returns its exit code. */
  int exitCode(int seconds) throws IOException, InterruptedException {
    assertThat(process.waitFor(seconds, TimeUnit.SECONDS)).as(output()).isTrue();
    return process.exitValue();
  }

  boolean isRunning() {
    return process.isAlive();
  }

  String output() throws IOException {
    return Files.readString(output);
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join(); // and with it each process of its namespace
  }
}
