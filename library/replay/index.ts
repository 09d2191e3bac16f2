// `annals/replay`: the read models of a server, and its reads, at any commit of a log.
// Without names, the declarations omit this package, which is only in the bundle.
// oxlint-disable-next-line unicorn/require-module-specifiers, import/no-empty-named-blocks
import {} from 'reflect-metadata'

export { replay, type Replayed, type ReplayOptions } from './replay.js'
export { serve, type ServedLog, type ServeOptions } from './serve.js'
