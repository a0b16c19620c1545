import{a as o}from"./part-WVRRXH2Q.js";var r=t=>o("record.list","records",t);export{r as a};
