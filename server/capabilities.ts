// Loads the capabilities that the settings switch on, and nothing of the others.
import type { Capability } from './component.js'
import { hasCode } from '../events/errors.js'
import { SettingsError, type Settings } from './settings/settings.js'

const TRACING_PACKAGES = [
  '@opentelemetry/api',
  '@opentelemetry/core',
  '@opentelemetry/exporter-trace-otlp-proto',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace'
]

/** @throws SettingsError where the optional packages are not installed */
const loadTraceExport = async (): Promise<typeof import('./trace-export.js')> => {
  try {
    return await import('./trace-export.js')
  } catch (error) {
    if (!hasCode(error, 'ERR_MODULE_NOT_FOUND')) throw error
    throw new SettingsError(
      `tracing.endpoint needs packages that are not installed beside Annals: ${TRACING_PACKAGES.join(' ')}`,
      { cause: error }
    )
  }
}

/**
 * @param process distinguishes the processes of a server
 * @throws SettingsError where the optional packages are not installed
 */
export const tracingOf = async (
  { tracing: { endpoint } }: Settings,
  process: string
): Promise<Capability | undefined> =>
  endpoint === undefined ? undefined : (await loadTraceExport()).traceExport(endpoint, process)

const hasOthers = ({ datacenters }: Settings): boolean => Object.keys(datacenters).length > 0

export const datacentersOf = async (settings: Settings): Promise<Capability | undefined> =>
  hasOthers(settings) ? (await import('./datacenter-services.js')).datacenterServices(settings) : undefined

export const datacentersOfWorker = async (settings: Settings): Promise<Capability | undefined> =>
  hasOthers(settings)
    ? (await import('./datacenter-services.js')).datacenterServicesOfWorker(settings)
    : undefined
