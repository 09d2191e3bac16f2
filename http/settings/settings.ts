// The configuration of a server (design: Configuration): its type, how it is loaded, and what is wrong with it.
export { loadSettings } from './load.js'
export type { Settings, SettingsSources } from './load.js'
export { SettingsError } from './settings-error.js'
