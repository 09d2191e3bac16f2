// Loads the capabilities that the settings switch on, and nothing of the others.
import type { Capability } from './component.js'
import type { Settings } from './settings/settings.js'

/** @param process distinguishes the processes of a server */
export const tracingOf = async (
  { tracing: { endpoint } }: Settings,
  process: string
): Promise<Capability | undefined> =>
  endpoint === undefined ? undefined : (await import('./trace-export.js')).traceExport(endpoint, process)

const hasOthers = ({ datacenters }: Settings): boolean => Object.keys(datacenters).length > 0

export const datacentersOf = async (settings: Settings): Promise<Capability | undefined> =>
  hasOthers(settings) ? (await import('./datacenter-services.js')).datacenterServices(settings) : undefined

export const datacentersOfWorker = async (settings: Settings): Promise<Capability | undefined> =>
  hasOthers(settings)
    ? (await import('./datacenter-services.js')).datacenterServicesOfWorker(settings)
    : undefined
