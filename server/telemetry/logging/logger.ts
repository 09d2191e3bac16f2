// The log for people and machines: JSON lines, in our form or that of `log.ecs`, or text on a terminal and where `log.pretty` says so. No secret is ever written.
import { destination, pino, stdTimeFunctions } from 'pino'
import type { DestinationStream, Logger } from 'pino'
import { ecsStream } from './ecs.js'
import type { LogLines } from './lines.js'
import { prettyStream } from './pretty.js'
import { redact } from './redact.js'
import { serializers } from './serializers.js'
import type { Settings } from '../../settings/settings.js'

export type { Logger } from 'pino'

/**
 * A logger with the level and form of the settings. Every line passes `redact`,
 * those of child loggers included. Lines are written without waiting; the rest is written when the process exits.
 * @param out where lines go; standard output unless given
 * @param lines gets each line as well, as JSON, and those below the level that its followers want
 */
export const createLogger = (
  settings: { readonly log: Pick<Settings['log'], 'level' | 'pretty'> & { readonly ecs?: boolean } },
  out?: DestinationStream,
  lines?: LogLines
): Logger => {
  const target = out ?? destination({ dest: 1, sync: false })
  const { level, ecs = false, pretty = !ecs && out === undefined && process.stdout.isTTY } = settings.log
  const formed = ecs ? ecsStream(target) : target
  const written = pretty ? prettyStream(target) : formed
  const logger = pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
      serializers,
      hooks: {
        streamWrite: line => {
          const redacted = redact(line)
          lines?.write(redacted)
          return redacted
        }
      }
    },
    lines ? { write: line => void (lines.isOwn(line) && written.write(line)) } : written
  )
  lines?.setOwnLevel(logger, level)
  return logger
}
