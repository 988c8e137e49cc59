package com.wookler.river.rest.server;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A server as one is that nobody has configured, and who asks it. */
abstract class ServerFixture {
  @TempDir Path directory;
  RiverServer server;
  Asked asked;

  @BeforeEach
  final void start() {
    server = RiverServer.builder().port(0).directory(directory).start();
    asked = new Asked(server);
  }

  @AfterEach
  final void stop() {
    server.close();
  }
}
