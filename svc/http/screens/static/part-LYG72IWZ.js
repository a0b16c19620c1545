import{n,r}from"./part-SZ4PJSFJ.js";function t(e){return!e||!r("settings")?!1:e.permissions.every(r)&&(e.id!=="owner"||n?.role==="owner")}export{t as a};
