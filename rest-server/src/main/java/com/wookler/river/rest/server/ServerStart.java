package com.wookler.river.rest.server;

import com.wookler.river.common.MonitoredThread;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.rest.server.http.HostValidator;
import java.io.PrintWriter;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How the command line and the environment start a server.
 *
 * @param values what they say; a file without the others
 */
record ServerStart(Map<ServerFlag, String> values) {
  static final String COMMAND = "server";

  private static final Logger LOG = LoggerFactory.getLogger(ServerStart.class);

  private static final Map<String, ServerFlag> FLAGS = flags();
  private static final int MAX_DIGITS = 5;

  private static Map<String, ServerFlag> flags() {
    Map<String, ServerFlag> all = new HashMap<>();
    for (ServerFlag each : ServerFlag.values()) {
      if (!each.isSwitch()) {
        all.put(each.flag(), each);
      }
    }
    all.put("--directory", ServerFlag.DATA);
    return all;
  }

  /**
   * Returns the start that a command line asks for; null if it is of another command, or for {@link
   * RiverCommand} to parse: help, abbreviations, mistakes.
   */
  static @Nullable ServerStart ofUsual(String... args) {
    return ofUsual(Map.of(), args);
  }

  static @Nullable ServerStart ofUsual(Map<String, String> environment, String... args) {
    if (args.length % 2 == 0 || !args[0].equals(COMMAND)) {
      return null;
    }
    Map<ServerFlag, String> values = new EnumMap<>(ServerFlag.class);
    for (int i = 1; i < args.length; i += 2) {
      ServerFlag flag = FLAGS.get(args[i]);
      if (flag == null
          || !isPlain(args[i + 1])
          || (isPort(flag) && !isNumber(args[i + 1]))
          || values.put(flag, args[i + 1]) != null) {
        return null;
      }
    }
    return new ServerStart(ServerFlag.completed(values, environment));
  }

  private static boolean isPort(ServerFlag flag) {
    return flag == ServerFlag.PORT || flag == ServerFlag.HEALTH_PORT || flag == ServerFlag.MEMCACHE;
  }

  /** Returns whether picocli would take a value as it is. */
  private static boolean isPlain(String value) {
    return !value.isEmpty() && "-@\"'".indexOf(value.charAt(0)) < 0;
  }

  private static boolean isNumber(String text) {
    return text.length() <= MAX_DIGITS && text.chars().allMatch(c -> c >= '0' && c <= '9');
  }

  /** Starts the server, prints how to use it, and returns when the process is to end. */
  int runUntilEnd(PrintWriter out) throws InterruptedException {
    RiverServer server = start();
    Runtime.getRuntime().addShutdownHook(new MonitoredThread("river-server-end", server::close));
    if (values.containsKey(ServerFlag.CONFIG)) {
      onHangup(() -> reload(server));
    }
    welcome(out, server);
    server.awaitClosed();
    return Main.DONE;
  }

  private static void reload(RiverServer server) {
    try {
      server.reload();
    } catch (RuntimeException e) {
      LOG.error("The file cannot be read again, and nothing has changed: {}", e.getMessage());
    }
  }

  /** Runs something at each SIGHUP. By reflection: a compiler warns of the JDK's own classes. */
  private static void onHangup(Runnable work) {
    InvocationHandler calls =
        (handler, method, arguments) ->
            switch (method.getName()) {
              case "handle" -> {
                work.run();
                yield null;
              }
              case "equals" -> handler == arguments[0];
              case "hashCode" -> System.identityHashCode(handler);
              default -> "onHangup";
            };
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object proxy =
          Proxy.newProxyInstance(
              ServerStart.class.getClassLoader(), new Class<?>[] {handler}, calls);
      Object unused =
          signal
              .getMethod("handle", signal, handler)
              .invoke(null, signal.getConstructor(String.class).newInstance("HUP"), proxy);
    } catch (ReflectiveOperationException | RuntimeException e) {
      LOG.debug("No SIGHUP here: POST /v1/reload does the same", e);
    }
  }

  RiverServer start() {
    String config = values.get(ServerFlag.CONFIG);
    if (config != null) {
      return RiverServer.open(Path.of(config));
    }
    RiverServer.Builder server = RiverServer.builder();
    with(ServerFlag.PORT, text -> server.port(ServerFlag.PORT.port(text)));
    with(ServerFlag.HEALTH_PORT, text -> server.healthPort(ServerFlag.HEALTH_PORT.port(text)));
    with(ServerFlag.MEMCACHE, text -> server.memcache(ServerFlag.MEMCACHE.port(text)));
    with(ServerFlag.HOST, text -> server.host(text).memcacheHost(text));
    with(ServerFlag.DATA, text -> server.directory(Path.of(text)));
    with(ServerFlag.BACKUP, text -> server.backupDirectory(Path.of(text)));
    with(ServerFlag.SNAPSHOTS, text -> server.snapshotDirectory(Path.of(text)));
    with(ServerFlag.KEYS, text -> server.keys(Path.of(text)));
    with(ServerFlag.CLIENT_CA, text -> server.clientAuthority(Path.of(text)));
    with(ServerFlag.ALLOWED_HOSTS, text -> HostValidator.names(text).forEach(server::allowedHost));
    certificate(server);
    return server.insecure(values.containsKey(ServerFlag.INSECURE)).start();
  }

  private void with(ServerFlag flag, Consumer<String> work) {
    String value = values.get(flag);
    if (value != null) {
      work.accept(value);
    }
  }

  private void certificate(RiverServer.Builder server) {
    String chain = values.get(ServerFlag.TLS_CERT);
    String key = values.get(ServerFlag.TLS_KEY);
    if (chain != null && key != null) {
      server.certificate(Path.of(chain), Path.of(key));
    } else if (chain != null || key != null) {
      throw new ConfigurationException(
          "%s and %s must both be set"
              .formatted(ServerFlag.TLS_CERT.flag(), ServerFlag.TLS_KEY.flag()));
    }
  }

  /** Prints how to use the server. */
  static void welcome(PrintWriter out, RiverServer server) {
    String address = server.scheme() + "://127.0.0.1:" + server.port();
    out.println("River listens at port " + server.port() + "; Ctrl-C ends it.");
    if (server.memcachePort() >= 0) {
      out.println("It speaks memcache's protocol at port " + server.memcachePort() + ".");
    }
    if (server.healthPort() >= 0) {
      out.println("It answers health checks and /metrics at port " + server.healthPort() + ".");
    }
    if (server.scheme().equals("https") || server.requiresKey()) {
      out.flush();
      return; // a client needs the certificate and a key
    }
    out.println("To try it:");
    out.println();
    out.println("  curl -d 'order 1' " + address + "/v1/queues/orders/messages");
    out.println(
        "  curl -X POST '" + address + "/v1/queues/orders/subscribers/billing/deliveries?wait=5s'");
    out.println(
        "  curl -d '{\"receipts\":[\"RECEIPT\"]}' "
            + address
            + "/v1/queues/orders/subscribers/billing/ack");
    out.flush();
  }
}
