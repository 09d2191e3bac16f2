// Autopilot settings.
import type { Event } from './envelope.js'

export const AUTOPILOT_TOPIC = 'Autopilot'
export const AUTOPILOT_KEY = 'autopilot'

/** Durations are in nanoseconds. */
export interface AutopilotSettings {
  readonly CleanupDeadServers: boolean
  readonly LastContactThreshold: number
  readonly MaxTrailingLogs: number
  readonly MinQuorum: number
  readonly ServerStabilizationTime: number
  readonly RedundancyZoneTag: string
  readonly DisableUpgradeMigration: boolean
  readonly UpgradeVersionTag: string
}

export interface Autopilot extends AutopilotSettings {
  /** Both are 0 until an operator changes a setting. */
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

export type AutopilotUpserted = Event<
  typeof AUTOPILOT_TOPIC,
  'AutopilotUpserted',
  { readonly Autopilot: Autopilot }
>

export const isAutopilotUpserted = (event: Event): event is AutopilotUpserted =>
  event.Topic === AUTOPILOT_TOPIC && event.Type === 'AutopilotUpserted'
