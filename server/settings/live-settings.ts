import type { Settings } from './settings.js'

/** The current settings of a server: those of its start, updated by reloads. */
export class LiveSettings {
  /** A new object after each reload, set by `use`. */
  current: Settings

  /** @param load reads all sources. @throws SettingsError */
  constructor(readonly load: () => Settings) {
    this.current = load()
  }

  use(settings: Settings): void {
    this.current = settings
  }
}
