package com.wookler.river.rest.server.hosting;

/** Where the settings of a queue come from, which says how they can be changed. */
public enum SettingsSource {
  /** A request, so that requests change them. */
  REQUEST,

  /** The file that the server was started with. */
  FILE,

  /** The application that the server runs in. */
  APPLICATION
}
