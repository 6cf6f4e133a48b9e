import manifest from '../../../package.json' with { type: 'json' }

/** The version of the package, shown in the OpenAPI document, log lines and the metric `marketplace_build_info`. */
export const VERSION: string = manifest.version
