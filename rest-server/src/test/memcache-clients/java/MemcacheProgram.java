import java.io.FileWriter;
import java.io.Writer;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import net.rubyeye.xmemcached.XMemcachedClient;
import net.rubyeye.xmemcached.XMemcachedClientBuilder;
import net.rubyeye.xmemcached.command.KestrelCommandFactory;
import net.rubyeye.xmemcached.exception.MemcachedException;
import net.spy.memcached.CachedData;
import net.spy.memcached.MemcachedClient;
import net.spy.memcached.transcoders.Transcoder;

/** Produces and consumes with xmemcached's Kestrel commands, or with spymemcached. See README.md. */
public final class MemcacheProgram {
  private static final byte[] TAIL = "\r\nEND\r\n".getBytes(StandardCharsets.ISO_8859_1);

  private interface Client {
    boolean set(String queue, byte[] data) throws Exception;

    byte[] get(String key) throws Exception;

    void close() throws Exception;
  }

  private static Client xmemcached(int port) throws Exception {
    XMemcachedClientBuilder builder =
        new XMemcachedClientBuilder(List.of(new InetSocketAddress("127.0.0.1", port)));
    builder.setCommandFactory(new KestrelCommandFactory());
    builder.setConnectionPoolSize(1);
    builder.setOpTimeout(30_000);
    builder.setHealSessionInterval(100);
    XMemcachedClient client = (XMemcachedClient) builder.build();
    client.setPrimitiveAsString(false);
    return new Client() {
      @Override
      public boolean set(String queue, byte[] data) throws Exception {
        return client.set(queue, 0, data);
      }

      @Override
      public byte[] get(String key) throws Exception {
        return client.get(key);
      }

      @Override
      public void close() throws Exception {
        client.shutdown();
      }
    };
  }

  private static final class Bytes implements Transcoder<byte[]> {
    @Override
    public boolean asyncDecode(CachedData data) {
      return false;
    }

    @Override
    public CachedData encode(byte[] data) {
      return new CachedData(0, data, getMaxSize());
    }

    @Override
    public byte[] decode(CachedData data) {
      return data.getData();
    }

    @Override
    public int getMaxSize() {
      return CachedData.MAX_SIZE;
    }
  }

  private static Client spymemcached(int port) throws Exception {
    MemcachedClient client = new MemcachedClient(new InetSocketAddress("127.0.0.1", port));
    Bytes bytes = new Bytes();
    return new Client() {
      @Override
      public boolean set(String queue, byte[] data) throws Exception {
        return client.set(queue, 0, data, bytes).get();
      }

      @Override
      public byte[] get(String key) {
        return client.get(key, bytes);
      }

      @Override
      public void close() {
        client.shutdown();
      }
    };
  }

  public static void main(String[] args) throws Exception {
    int port = Integer.parseInt(args[2]);
    Client client = args[0].equals("xmemcached") ? xmemcached(port) : spymemcached(port);
    if (args[1].equals("produce")) {
      produce(client, args[3], Integer.parseInt(args[4]), Integer.parseInt(args[5]));
    } else {
      consume(client, args[3], args[4], Path.of(args[5]));
    }
    client.close();
    System.exit(0); // their threads may linger
  }

  private static void produce(Client client, String queue, int first, int count) throws Exception {
    Random random = new Random(first);
    for (int i = first; i < first + count; i++) {
      byte[] noise = new byte[i % 300];
      random.nextBytes(noise);
      byte[] data = message(i, joined(noise, TAIL));
      while (!isStored(client, queue, data)) {
        Thread.sleep(100);
      }
    }
  }

  private static byte[] message(int number, byte[] body) throws Exception {
    byte[] head = (number + ":").getBytes(StandardCharsets.ISO_8859_1);
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(joined(head, body));
    String sum = HexFormat.of().formatHex(digest) + ":";
    return joined(joined(head, sum.getBytes(StandardCharsets.ISO_8859_1)), body);
  }

  private static byte[] joined(byte[] one, byte[] other) {
    byte[] both = Arrays.copyOf(one, one.length + other.length);
    System.arraycopy(other, 0, both, one.length, other.length);
    return both;
  }

  private static boolean isStored(Client client, String queue, byte[] data)
      throws InterruptedException {
    try {
      return client.set(queue, data);
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) { // the server is being restarted
      return false;
    }
  }

  private static void consume(Client client, String queue, String path, Path stop)
      throws Exception {
    try (Writer out = new FileWriter(path, StandardCharsets.ISO_8859_1, true)) {
      for (int empty = 0; empty < 3; ) {
        byte[] data;
        try {
          data = client.get(queue + "/close/open/t=200");
        } catch (MemcachedException | RuntimeException | java.util.concurrent.TimeoutException e) {
          empty = 0;
          Thread.sleep(100);
          continue;
        }
        if (data == null) {
          empty = Files.exists(stop) ? empty + 1 : 0;
          continue;
        }
        empty = 0;
        String[] parts = new String(data, StandardCharsets.ISO_8859_1).split(":", 3);
        int number = Integer.parseInt(parts[0]);
        byte[] body = parts[2].getBytes(StandardCharsets.ISO_8859_1);
        if (!Arrays.equals(data, message(number, body))) {
          throw new IllegalStateException("message " + number + " is not what was stored");
        }
        out.write(number + "\n");
        out.flush();
      }
      client.get(queue + "/close");
    }
  }
}
