package com.wookler.river.rest.server.http;

import com.wookler.river.rest.server.hosting.AdmissionControl;
import com.wookler.river.rest.server.hosting.QueueResolver;
import com.wookler.river.rest.server.hosting.Right;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Set;

/**
 * The route for streams of messages. Its method is POST, because it changes state: a page of
 * another site can make a browser send a GET without an origin.
 */
final class StreamRoute {
  private static final String PATH = "/v1/queues/{queue}/subscribers/{subscriber}/stream";
  private static final int CREDIT = 100;
  private static final int MAX_CREDIT = 10_000;

  private final QueueResolver queues;
  private final StreamRegistry streams;
  private final AdmissionControl admission;

  StreamRoute(QueueResolver queues, StreamRegistry streams, AdmissionControl admission) {
    this.queues = queues;
    this.admission = admission;
    this.streams = streams;
  }

  List<Endpoint> endpoints() {
    return List.of(
        new Endpoint(
            HttpMethod.POST,
            PATH,
            Right.CONSUME,
            Set.of("credit", "create", "owner"),
            this::stream));
  }

  private Future<ApiResponse> stream(ApiRequest call) {
    int credit = call.query("credit", CREDIT, MAX_CREDIT);
    call.name("queue");
    call.name("subscriber");
    Boolean create = call.flag("create");
    StreamFormat format = format(call);
    admission.admitWaiting(call.exchange()::onEnd);
    return call.blocking(
            () ->
                queues
                    .subscription(
                        call.access(), call.name("queue"), call.name("subscriber"), create)
                    .subscriber()
                    .by(call.query("owner")))
        .compose(hosted -> streams.open(call, hosted, credit, format));
  }

  private static StreamFormat format(ApiRequest call) {
    String lines = StreamFormat.LINES.type();
    String events = StreamFormat.EVENTS.type();
    String type =
        ContentNegotiation.choose(
            call.request().headers().getAll("Accept"), List.of(lines, events));
    if (type == null) {
      throw Problem.of(Problem.Kind.NOT_ACCEPTABLE, "there are " + lines + " and " + events);
    }
    return type.equals(lines) ? StreamFormat.LINES : StreamFormat.EVENTS;
  }
}
