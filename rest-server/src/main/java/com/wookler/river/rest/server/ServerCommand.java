package com.wookler.river.rest.server;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs a server until the process is terminated. */
@Command(
    name = ServerStart.COMMAND,
    description = {
      "Offers queues over HTTP, until Ctrl-C or SIGTERM.",
      "Without a file: at 127.0.0.1:8080, with its queues in ./river-data."
    },
    footer = {
      "Each option is an environment variable, too: RIVER_PORT for --port, RIVER_TLS_CERT for",
      "--tls-cert, RIVER_INSECURE=true for --insecure. The command line wins. All but --config",
      "are for a server without a file; with one they are set in it."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class ServerCommand implements Callable<Integer> {
  private final Map<ServerFlag, String> values = new EnumMap<>(ServerFlag.class);

  @Spec private CommandSpec spec;

  /** Creates the command; picocli sets its specification. */
  @SuppressWarnings("NullAway.Init")
  ServerCommand() {}

  private void put(ServerFlag flag, @Nullable Object value) {
    if (value != null) {
      values.put(flag, value.toString());
    }
  }

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "XML with a <server>, and <queue>s if there are some to begin with.")
  void config(String file) {
    put(ServerFlag.CONFIG, file);
  }

  @Option(
      names = "--host",
      paramLabel = "H",
      description = "Listens at this address instead of 127.0.0.1, for both protocols.")
  void host(String host) {
    put(ServerFlag.HOST, host);
  }

  @Option(
      names = "--port",
      paramLabel = "N",
      description = "Another port than 8080; 0 for any that is free.")
  void port(Integer port) {
    put(ServerFlag.PORT, port);
  }

  @Option(
      names = {"--data", "--directory"},
      paramLabel = "DIR",
      description = "Another directory than ./river-data.")
  void data(String directory) {
    put(ServerFlag.DATA, directory);
  }

  @Option(
      names = "--backup",
      paramLabel = "DIR",
      description = "Where queues may have backups, which requests ask for.")
  void backup(String directory) {
    put(ServerFlag.BACKUP, directory);
  }

  @Option(
      names = "--snapshots",
      paramLabel = "DIR",
      description = "Where requests may make snapshots of queues.")
  void snapshots(String directory) {
    put(ServerFlag.SNAPSHOTS, directory);
  }

  @Option(
      names = "--keys",
      paramLabel = "FILE",
      description = "API keys, made by ./river keys, which every request needs then.")
  void keys(String file) {
    put(ServerFlag.KEYS, file);
  }

  @Option(
      names = "--tls-cert",
      paramLabel = "FILE",
      description = "Certificate chain in PEM, with --tls-key; read anew when it changes.")
  void certificate(String file) {
    put(ServerFlag.TLS_CERT, file);
  }

  @Option(names = "--tls-key", paramLabel = "FILE", description = "Its private key in PEM.")
  void key(String file) {
    put(ServerFlag.TLS_KEY, file);
  }

  @Option(
      names = "--client-ca",
      paramLabel = "FILE",
      description = "Only clients connect whose certificate one of this file (PEM) has signed.")
  void clientAuthority(String file) {
    put(ServerFlag.CLIENT_CA, file);
  }

  @Option(
      names = "--allowed-hosts",
      paramLabel = "NAMES",
      description = "Names by which requests may call it, separated by commas.")
  void allowedHosts(String names) {
    put(ServerFlag.ALLOWED_HOSTS, names);
  }

  @Option(
      names = "--health-port",
      paramLabel = "N",
      description = "Answers health checks and /metrics at this port too, and nothing else there.")
  void healthPort(Integer port) {
    put(ServerFlag.HEALTH_PORT, port);
  }

  @Option(
      names = "--memcache",
      paramLabel = "N",
      description =
          "Speaks memcache's text protocol at this port too, as Kestrel does at 22133; 0 for any"
              + " that is free.")
  void memcache(Integer port) {
    put(ServerFlag.MEMCACHE, port);
  }

  @Option(
      names = "--insecure",
      description = "Listens there although every one who reaches it may do everything.")
  void insecure(Boolean insecure) {
    put(ServerFlag.INSECURE, insecure);
  }

  @Override
  public Integer call() throws InterruptedException {
    return start(System.getenv()).runUntilEnd(spec.commandLine().getOut());
  }

  /** Returns what the command line says, and the environment where that does not. */
  ServerStart start(Map<String, String> environment) {
    return new ServerStart(ServerFlag.completed(values, environment));
  }
}
