// The page that was asked for comes as soon as the device is online again.
addEventListener("online", () => location.reload());
