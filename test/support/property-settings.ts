// A failing property reports its seed and ends: to shrink a long history can take hours, in which its thread answers no request.
import fc from 'fast-check'

fc.configureGlobal({ endOnFailure: true })
