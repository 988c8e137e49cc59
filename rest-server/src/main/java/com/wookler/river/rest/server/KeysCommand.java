package com.wookler.river.rest.server;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.rest.server.hosting.ContractFormat;
import com.wookler.river.rest.server.hosting.KeyFile;
import com.wookler.river.rest.server.hosting.KeyLimits;
import com.wookler.river.rest.server.hosting.RequestException;
import com.wookler.river.rest.server.http.AccessLog;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Creates, lists and revokes API keys. */
@Command(
    name = "keys",
    description = {
      "Makes, lists and revokes API keys. A running server takes up changes within a second.",
      "The file holds hashes only: a key is shown once, when it is made."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class KeysCommand implements Runnable {
  @Spec private CommandSpec spec;

  /** The option with the file of keys, of all commands. */
  static final class KeysFile {
    @Option(
        names = "--file",
        paramLabel = "FILE",
        defaultValue = "river-keys.json",
        description = "${DEFAULT-VALUE}")
    private Path path;

    /** Creates the option; picocli sets it. */
    @SuppressWarnings("NullAway.Init")
    KeysFile() {}

    KeyFile open() {
      return new KeyFile(path);
    }
  }

  /** The options with the rights of a new key. */
  static final class Rights {
    @Option(
        names = "--publish",
        paramLabel = "QUEUES",
        split = ",",
        description = "To these it may publish: names, beginnings as eu-*, or *.")
    private List<String> publish = List.of();

    @Option(
        names = "--consume",
        paramLabel = "QUEUES",
        split = ",",
        description = "From these it may take.")
    private List<String> consume = List.of();

    @Option(
        names = "--admin",
        paramLabel = "QUEUES",
        split = ",",
        description = "These it may make, change and remove, and all the above.")
    private List<String> admin = List.of();

    @Option(
        names = "--metrics",
        paramLabel = "QUEUES",
        split = ",",
        description = "Of these it may read figures, as who may take from them.")
    private List<String> metrics = List.of();

    @Option(
        names = "--expires",
        paramLabel = "TIME",
        description = "When it ends: a time as 2027-01-01T00:00:00Z, or 90d from now.")
    private @Nullable String expires;

    @Option(
        names = "--requests",
        paramLabel = "RATE",
        description = "Requests a second, as 100, or with how many at once, as 100:500.")
    private @Nullable String requests;

    @Option(
        names = "--messages",
        paramLabel = "RATE",
        description = "Messages a second that it may publish, in the same way.")
    private @Nullable String messages;

    KeyFile.Added add(String name, KeyFile keys) {
      if (name.isBlank()) {
        throw new ConfigurationException("NAME is empty; say what the key is for");
      }
      if (publish.isEmpty() && consume.isEmpty() && admin.isEmpty() && metrics.isEmpty()) {
        throw new ConfigurationException(
            "a key without rights may do nothing; give it --publish, --consume, --admin or"
                + " --metrics");
      }
      return keys.add(name, publish, consume, admin, metrics, limits());
    }

    private KeyLimits limits() {
      return new KeyLimits(
          expires == null ? null : read("--expires", expires, Rights::time),
          requests == null ? null : read("--requests", requests, Rights::rate),
          messages == null ? null : read("--messages", messages, Rights::rate));
    }

    /** Reads the value of an option, which an error names. */
    private static <T> T read(String option, String text, Function<String, T> form) {
      try {
        return form.apply(text);
      } catch (RequestException e) {
        throw new ConfigurationException(option + ": " + e.field() + " " + e.detail(), e);
      }
    }

    private static String time(String text) {
      Instant now = TimeSource.system().wallTime().truncatedTo(ChronoUnit.SECONDS);
      Instant time =
          ContractFormat.DURATION.matcher(text).matches()
              ? now.plus(ContractFormat.duration("time", text))
              : ContractFormat.time("time", text);
      if (!time.isAfter(now)) {
        throw RequestException.field("time", "'" + text + "' is not in the future");
      }
      return time.toString();
    }

    private static KeyLimits.Rate rate(String text) {
      String[] parts = text.split(":", 2);
      return new KeyLimits.Rate(
          number("rate", parts[0]), parts.length == 1 ? null : number("burst", parts[1]));
    }

    private static int number(String field, String text) {
      return (int) ContractFormat.number(field, text, 1, Integer.MAX_VALUE);
    }
  }

  /** Creates the command; picocli sets its specification. */
  @SuppressWarnings("NullAway.Init")
  KeysCommand() {}

  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }

  @Command(
      name = "add",
      description = "Makes a key, and shows it this once.",
      mixinStandardHelpOptions = true,
      sortOptions = false)
  int add(
      @Parameters(paramLabel = "NAME", description = "What it is for.") String name,
      @Mixin Rights rights,
      @Mixin KeysFile keys) {
    out().println(rights.add(name, keys.open()).text());
    return Main.DONE;
  }

  @Command(
      name = "list",
      description = "Shows what there is.",
      mixinStandardHelpOptions = true,
      sortOptions = false)
  int list(@Mixin KeysFile keys) {
    for (KeyFile.Key key : keys.open().keys()) {
      out()
          .printf(
              "%s  %s  publish %s  consume %s  admin %s  metrics %s%s%n",
              key.id(),
              AccessLog.quoted(key.name()),
              key.publish(),
              key.consume(),
              key.admin(),
              key.metrics(),
              described(key.limits()));
    }
    return Main.DONE;
  }

  private static String described(KeyLimits limits) {
    StringBuilder text = new StringBuilder();
    append(text, "expires", limits.expires());
    append(text, "requests", limits.requests());
    append(text, "messages", limits.messages());
    return text.toString();
  }

  private static void append(StringBuilder text, String name, @Nullable Object value) {
    if (value != null) {
      text.append("  ").append(name).append(' ').append(value);
    }
  }

  @Command(
      name = "revoke",
      description = "Removes a key, by name or id.",
      mixinStandardHelpOptions = true,
      sortOptions = false)
  int revoke(
      @Parameters(paramLabel = "NAME", description = "Its name or id.") String name,
      @Mixin KeysFile keys) {
    int revoked = keys.open().revoke(name);
    if (revoked == 0) {
      spec.commandLine().getErr().println("there is no key with the name or id '" + name + "'");
      return Main.NOTHING;
    }
    out().println(revoked == 1 ? "revoked" : revoked + " keys revoked");
    return Main.DONE;
  }
}
