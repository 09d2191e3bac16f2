import 'reflect-metadata'
import { Failed } from '../../clients/cli/console.js'
import { remoteCommand, type Build, type Run } from '../../clients/cli/remote/command.js'
import { text } from '../../clients/cli/remote/flags.js'
import { table } from '../../clients/cli/remote/output.js'
import { findingsOf, type Finding } from '../../clients/cli/doctor/checks.js'

/** @param findingsOfCluster the checks with the configuration of a server of a cluster */
const doctorCommand = (
  findingsOfCluster: (config: string, console: Run['console']) => Promise<readonly Finding[]>
): Build =>
  remoteCommand({
    summary: 'Check connection, clock, TLS, token, versions, disk and cluster, and name the fixes.',
    about:
      'With --config, it also checks the servers of the cluster, their clocks and certificates, and etcd.\nThe exit code is 1 if a check failed. Warnings do not change it.',
    examples: ['annals doctor', 'annals doctor --json', 'annals doctor --config annals.json'],
    flags: { config: text('file', 'configuration file of a server of the cluster') },
    isRead: true,
    run: async ({ get, read, connection, out, console, flags: { config } }) => {
      const [first, more] = await Promise.all([
        findingsOf({ get, read, connection }),
        config === undefined ? [] : findingsOfCluster(config, console)
      ])
      const findings = [...first, ...more]
      out.show(findings, all => table(['Check', 'Result', 'Finding', 'Fix'], all))
      const failed = findings.filter(({ Result }) => Result === 'failed').length
      if (failed > 0) throw new Failed(`${failed} of ${findings.length} checks failed`)
    }
  })

/** `annals doctor` */
export const doctor = doctorCommand(async (file, { env }) => {
  const { loadSettings } = await import('../settings/load.js')
  const { clusterFindings } = await import('./cluster-findings.js')
  return clusterFindings(loadSettings({ file, env, flags: {} }))
})
