// The configuration of a server (design: Configuration): its type, how it is loaded, and what is wrong with it.
export { loadSettings } from './settings/load.js'
export type { Settings, SettingsSources } from './settings/load.js'
export { SettingsError } from './settings/settings-error.js'
