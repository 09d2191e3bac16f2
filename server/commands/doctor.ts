import 'reflect-metadata'
import { doctorCommand } from '../../clients/cli/doctor/command.js'

/** `annals doctor` */
export const doctor = doctorCommand(async (file, { env }) => {
  const { loadSettings } = await import('../settings/load.js')
  const { clusterFindings } = await import('./cluster-findings.js')
  return clusterFindings(loadSettings({ file, env, flags: {} }))
})
