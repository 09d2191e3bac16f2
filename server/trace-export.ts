// What a process with tracing has beyond others. Loaded only if the settings name a collector.
import { Committer } from '../actors/committer.js'
import { component, type Capability } from './component.js'
import { registerTracing, Traces } from './telemetry/tracing/begin-tracing.js'

/** @param process distinguishes the processes of a server */
export const traceExport = (endpoint: string, process: string): Capability => ({
  register: scope => registerTracing(scope, endpoint, process),
  components: [
    component([Traces, Committer], {
      start: ({ tracing }, { signals }) => void signals.on('applied', commit => tracing.decided(commit)),
      stop: traces => traces.stop()
    })
  ]
})
