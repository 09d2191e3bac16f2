// The configuration keys of what is kept for audits besides the log.
import { integer, section, toggle } from './values.js'

const MEBIBYTE = 1024 * 1024

export const auditConfig = section({
  denials: toggle(
    'Keep attempts that were denied (403), in files of their own beside the log: who, from where, what, and which permission was missing.',
    { default: false, reloads: true }
  ),
  denials_bytes: integer(
    64 * 1024,
    1024 * MEBIBYTE,
    'Bytes that the files of denied attempts may have together: when the newer one has half of it, the older one goes.',
    { default: 16 * MEBIBYTE, reloads: true }
  )
})
