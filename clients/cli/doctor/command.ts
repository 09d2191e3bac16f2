import { Failed } from '../failures.js'
import { remoteCommand } from '../remote/command.js'
import { table } from '../remote/output.js'
import { findingsOf } from './checks.js'

export const doctor = remoteCommand({
  summary: 'Check connection, clock, TLS, token, versions, disk and cluster, and name the fixes.',
  about: 'The exit code is 1 if a check failed. Warnings do not change it.',
  examples: ['annals doctor', 'annals doctor --json'],
  isRead: true,
  run: async ({ get, read, connection, out }) => {
    const findings = await findingsOf({ get, read, connection })
    out.show(findings, all => table(['Check', 'Result', 'Finding', 'Fix'], all))
    const failed = findings.filter(({ Result }) => Result === 'failed').length
    if (failed > 0) throw new Failed(`${failed} of ${findings.length} checks failed`)
  }
})
