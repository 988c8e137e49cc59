package com.wookler.river.rest.server;

import com.wookler.river.common.MonitoredThread;
import java.io.PrintWriter;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How the command line starts a server.
 *
 * @param config XML file; without the others
 * @param port null for the default, as for the next
 * @param directory where its queues are
 * @param backup where queues may have backups
 * @param memcache port of memcache's protocol
 * @param reach who can reach it
 */
record ServerStart(
    @Nullable Path config,
    @Nullable Integer port,
    @Nullable Path directory,
    @Nullable Path backup,
    @Nullable Integer memcache,
    Reach reach) {
  /**
   * Who can reach a server.
   *
   * @param host where it listens; null for the default
   * @param insecure whether it may listen where others reach it without keys
   */
  record Reach(@Nullable String host, boolean insecure) {
    static final Reach DEFAULT = new Reach(null, false);
  }

  static final String COMMAND = "server";

  private static final Logger LOG = LoggerFactory.getLogger(ServerStart.class);

  private static final String CONFIG = "--config";
  private static final String PORT = "--port";
  private static final String DIRECTORY = "--directory";
  private static final String DATA = "--data";
  private static final String HOST = "--host";
  private static final String BACKUP = "--backup";
  private static final String MEMCACHE = "--memcache";
  private static final Set<String> OPTIONS =
      Set.of(CONFIG, PORT, DIRECTORY, DATA, HOST, BACKUP, MEMCACHE);
  private static final int MAX_DIGITS = 5;

  /**
   * Returns the start that a command line asks for; null if it is of another command, or for {@link
   * RiverCommand} to parse: help, abbreviations, mistakes.
   */
  static @Nullable ServerStart ofUsual(String... args) {
    if (args.length % 2 == 0 || !args[0].equals(COMMAND)) {
      return null;
    }
    Map<String, String> values = new HashMap<>();
    for (int i = 1; i < args.length; i += 2) {
      if (!OPTIONS.contains(args[i])
          || !isPlain(args[i + 1])
          || values.put(args[i].equals(DATA) ? DIRECTORY : args[i], args[i + 1]) != null) {
        return null;
      }
    }
    String port = values.get(PORT);
    String memcache = values.get(MEMCACHE);
    if ((values.containsKey(CONFIG) && values.size() > 1)
        || (port != null && !isNumber(port))
        || (memcache != null && !isNumber(memcache))) {
      return null;
    }
    return new ServerStart(
        path(values.get(CONFIG)),
        port == null ? null : Integer.valueOf(port),
        path(values.get(DIRECTORY)),
        path(values.get(BACKUP)),
        memcache == null ? null : Integer.valueOf(memcache),
        values.containsKey(HOST) ? new Reach(values.get(HOST), false) : Reach.DEFAULT);
  }

  /** Returns whether picocli would take a value as it is. */
  private static boolean isPlain(String value) {
    return !value.isEmpty() && "-@\"'".indexOf(value.charAt(0)) < 0;
  }

  private static boolean isNumber(String text) {
    return text.length() <= MAX_DIGITS && text.chars().allMatch(c -> c >= '0' && c <= '9');
  }

  private static @Nullable Path path(@Nullable String text) {
    return text == null ? null : Path.of(text);
  }

  /** Starts the server, prints how to use it, and returns when the process is to end. */
  int runUntilEnd(PrintWriter out) throws InterruptedException {
    CountDownLatch end = new CountDownLatch(1);
    RiverServer server = start();
    Thread ending =
        new MonitoredThread(
            "river-server-end",
            () -> {
              server.close();
              end.countDown();
            });
    Runtime.getRuntime().addShutdownHook(ending);
    if (config != null) {
      onHangup(() -> reload(server));
    }
    welcome(out, server);
    end.await();
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
    if (config != null) {
      return RiverServer.open(config);
    }
    RiverServer.Builder server = RiverServer.builder();
    if (port != null) {
      server.port(port);
    }
    if (directory != null) {
      server.directory(directory);
    }
    if (backup != null) {
      server.backupDirectory(backup);
    }
    if (memcache != null) {
      server.memcache(memcache);
    }
    if (reach.host != null) {
      server.host(reach.host).memcacheHost(reach.host);
    }
    server.insecure(reach.insecure);
    return server.start();
  }

  /** Prints how to use the server. */
  static void welcome(PrintWriter out, RiverServer server) {
    String address = server.scheme() + "://127.0.0.1:" + server.port();
    out.println("River listens at port " + server.port() + "; Ctrl-C ends it.");
    if (server.memcachePort() >= 0) {
      out.println("It speaks memcache's protocol at port " + server.memcachePort() + ".");
    }
    if (server.scheme().equals("https")) {
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
