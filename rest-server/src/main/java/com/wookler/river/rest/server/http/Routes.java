package com.wookler.river.rest.server.http;

import com.wookler.river.rest.server.hosting.RequestException;
import io.vertx.core.http.HttpMethod;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Finds the endpoint of a request. */
final class Routes {
  private final List<Path> paths;

  /**
   * A path of the contract with its methods.
   *
   * @param parts what is between its slashes
   * @param names the name of the parameter at each of them; empty where there is none
   */
  private record Path(List<String> parts, List<String> names, Map<HttpMethod, Endpoint> methods) {
    static Path of(String path) {
      List<String> parts = List.of(path.substring(1).split("/"));
      List<String> names = parts.stream().map(Path::parameter).toList();
      return new Path(parts, names, new LinkedHashMap<>());
    }

    private static String parameter(String part) {
      return part.startsWith("{") ? part.substring(1, part.length() - 1) : "";
    }

    /** Returns the endpoint of a method, or null if there is none. HEAD has the endpoint of GET. */
    @Nullable Endpoint endpoint(HttpMethod method) {
      return methods.get(hasHead() && method.equals(HttpMethod.HEAD) ? HttpMethod.GET : method);
    }

    private boolean hasHead() {
      return methods.containsKey(HttpMethod.GET);
    }

    TreeSet<String> allowed() {
      TreeSet<String> allowed = new TreeSet<>();
      methods.keySet().forEach(each -> allowed.add(each.name()));
      if (hasHead()) {
        allowed.add("HEAD");
      }
      return allowed;
    }

    /** Returns the values of the path's parameters, or null if the path does not match. */
    @Nullable Map<String, String> match(List<String> asked) {
      if (asked.size() != names.size()) {
        return null;
      }
      for (int i = 0; i < names.size(); i++) {
        if (names.get(i).isEmpty() && !parts.get(i).equals(asked.get(i))) {
          return null;
        }
      }
      Map<String, String> values = new LinkedHashMap<>();
      for (int i = 0; i < names.size(); i++) {
        if (!names.get(i).isEmpty()) {
          values.put(names.get(i), asked.get(i));
        }
      }
      return values;
    }
  }

  /**
   * A matching endpoint.
   *
   * @param endpoint the endpoint
   * @param parameters values of the path's parameters
   */
  record Match(Endpoint endpoint, Map<String, String> parameters) {}

  Routes(List<Endpoint> endpoints) {
    Map<String, Path> byPath = new LinkedHashMap<>();
    for (Endpoint endpoint : endpoints) {
      byPath.computeIfAbsent(endpoint.path(), Path::of).methods().put(endpoint.method(), endpoint);
    }
    paths = new ArrayList<>(byPath.values());
  }

  /**
   * Returns the endpoint of a request.
   *
   * @throws Problem there is no such path, or it does not have the method
   */
  Match find(HttpMethod method, RequestTarget target) {
    for (Path path : paths) {
      Map<String, String> values = path.match(target.parts());
      if (values != null) {
        Endpoint endpoint = path.endpoint(method);
        if (endpoint != null) {
          return new Match(endpoint, values);
        }
        throw Problem.notAllowed(String.join(", ", path.allowed()));
      }
    }
    throw RequestException.of(RequestException.Reason.NOT_FOUND, "there is no such path");
  }
}
