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
 * A process of {@link RiverKillTest}: publishes orders from a number on, and writes each number
 * down once it is published; a listener writes down what it has processed. Both are files of lines.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class KilledApplication {
  private static final Path DIRECTORY = Path.of(System.getProperty("test.directory"));

  record Order(int number) {}

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
          DIRECTORY.resolve(file),
          (number + "\n").getBytes(StandardCharsets.US_ASCII),
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
