// Commands on the settings by which the servers of the cluster are looked after.
import type { AutopilotSettings } from '../../events/autopilot.js'
import type { Command } from '../command.js'

/** `cas`: undefined writes in any case, else only if that is the index of the last change; 0 if there was none. */
export type SetAutopilot = Command<
  'SetAutopilot',
  { readonly settings: AutopilotSettings; readonly cas: number | undefined }
>

export type AutopilotCommand = SetAutopilot
