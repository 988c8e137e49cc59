package com.wookler.river.spring;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;

/**
 * A process of {@link RiverKillTest} and {@link SecondInstanceTest}: publishes orders from a number
 * on, and writes each number down once it is published; a listener writes down what it has
 * processed. Both are files of lines.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class KilledApplication {
  record Order(int number) {}

  /** Starts a process with its queues, files and log in a directory. */
  static Process start(Path directory, int from) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Dspring.devtools.restart.enabled=false",
            "-Dtest.directory=" + directory,
            "-Dtest.from=" + from,
            "-cp",
            System.getProperty("java.class.path"),
            KilledApplication.class.getName(),
            "--river.directory=" + directory.resolve("data"),
            "--spring.main.web-application-type=none",
            "--spring.main.banner-mode=off")
        .redirectErrorStream(true)
        .redirectOutput(directory.resolve("log").toFile())
        .start();
  }

  public static void main(String[] args) {
    SpringApplication.run(KilledApplication.class, args);
  }

  @RiverListener(queue = "orders", subscriber = "billing", concurrency = "2")
  void on(Order order) {
    append("processed", order.number());
  }

  @Bean
  CommandLineRunner publisher(RiverTemplate template) {
    return args -> {
      for (int i = Integer.getInteger("test.from"); ; i++) {
        template.publish("orders", new Order(i));
        append("published", i);
      }
    };
  }

  private static synchronized void append(String file, int number) {
    try {
      Files.write(
          Path.of(System.getProperty("test.directory")).resolve(file),
          (number + "\n").getBytes(StandardCharsets.US_ASCII),
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
