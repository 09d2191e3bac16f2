// Passes reports of the log to the server's logger. Reports before the logger exists wait for it.
import type { LogReport } from '../../events/log/report.js'
import type { Logger } from '../telemetry/logging/logger.js'

export class LogReports {
  #logger: Logger | undefined
  #waiting: LogReport[] = []

  readonly take = (report: LogReport): void => {
    if (this.#logger) this.#logger[report.level](report.details ?? {}, `log: ${report.text}`)
    else this.#waiting.push(report)
  }

  attach(logger: Logger): void {
    this.#logger = logger
    for (const report of this.#waiting.splice(0)) this.take(report)
  }
}
