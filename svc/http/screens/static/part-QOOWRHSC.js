import{a as o}from"./part-WZF77FEK.js";var r=t=>o("record.list","records",t);export{r as a};
